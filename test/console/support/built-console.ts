import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { compiledProgram } from '../../support/built-program.js';

/** Manifest of Vite: built files by the path of their source. */
type Manifest = Record<string, { file: string; isEntry?: boolean; imports?: string[]; css?: string[] }>;

/** Gzipped bytes. */
export interface Load {
  js: number;
  css: number;
}

export interface BuiltConsole {
  /** Scripts and styles that a browser loads for modules: with their static imports and those of the entry. */
  filesOf(...sources: readonly string[]): string[];
  /** @throws Error for a file without a compressed version */
  loadOf(files: readonly string[]): Load;
}

export async function builtConsole(): Promise<BuiltConsole> {
  const folder = path.join(await compiledProgram(), 'console');
  // Vite's own format: https://vite.dev/guide/backend-integration
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);

  function collect(key: string, found: Set<string>): void {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build has no file of ${key}.`);
    if (found.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    for (const imported of chunk.imports ?? []) collect(imported, found);
  }

  return {
    filesOf(...sources) {
      const found = new Set<string>();
      for (const key of [...entries, ...sources]) collect(key, found);
      return [...found].sort();
    },
    loadOf(files) {
      const sum = (ending: string) =>
        files
          .filter((file) => file.endsWith(ending))
          .reduce((bytes, file) => bytes + statSync(path.join(folder, `${file}.gz`)).size, 0);
      return { js: sum('.js'), css: sum('.css') };
    },
  };
}
