import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the program's files are, which it finds here alone: the build puts the code that it bundles into `dist`, without folders,
 * so that this holds for `src/package-root.ts` and for whatever file it becomes a part of.
 */
const here = new URL('.', import.meta.url);

/** Whether the source itself runs, by a loader of TypeScript. */
const isSource = import.meta.url.endsWith('.ts');

/** The folder of the package: the one with `package.json`. */
export const packageFolder = fileURLToPath(new URL('..', here));

/** A file or a folder of the package. @example packageFile('migrations') */
export const packageFile = (name: string): string => path.join(packageFolder, name);

/** A file that isn't bundled, which has the same place in `src` and in `dist`. @example programFile('storage/image-worker.mjs') */
export const programFile = (name: string): string => path.join(fileURLToPath(here), name);

/** The entry of a thread. TypeScript needs a loader there: threads of Node 20 don't inherit it. @param name without its ending */
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
