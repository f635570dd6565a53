import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Folder of the program's files: `src`, or `dist` after the build. The build bundles this code into a file directly in `dist`,
 * so the folder of the running file is right in both cases.
 */
const here = new URL('.', import.meta.url);

/** Whether the program runs from its TypeScript source. */
const isSource = import.meta.url.endsWith('.ts');

/** The folder with `package.json`. */
export const packageFolder = fileURLToPath(new URL('..', here));

/** Returns the path of a file or folder of the package. @example packageFile('migrations') */
export const packageFile = (name: string): string => path.join(packageFolder, name);

/**
 * Returns the path of a file that isn't bundled. Its path is the same below `src` and below `dist`.
 * @example programFile('storage/image-worker.mjs')
 */
export const programFile = (name: string): string => path.join(fileURLToPath(here), name);

/**
 * Returns the start file of a thread. When running from source, `execArgv` loads the TypeScript loader, because Node 20
 * doesn't pass the loader on to threads.
 * @param name without extension
 */
export function threadFile(name: string): { filename: string; execArgv?: string[] } {
  if (!isSource) return { filename: programFile(`${name}.js`) };
  const loader = createRequire(packageFolder).resolve('tsx/cjs');
  return { filename: programFile(`${name}.ts`), execArgv: ['--require', loader] };
}

/** The version in package.json. */
export function packageVersion(): string {
  // npm refuses a package without a version.
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  return version;
}
