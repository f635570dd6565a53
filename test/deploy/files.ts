import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

/** What the files that are for deployments have in common. */

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The documents of a YAML file. @throws where it isn't well-formed, or a key stands twice */
export function documentsIn(file: string): unknown[] {
  return parseAllDocuments(read(file)).map((document) => {
    const [problem] = document.errors;
    if (problem) throw new Error(`${file}: ${problem.message}`);
    return document.toJS();
  });
}

export const { version, engines } = manifest;
