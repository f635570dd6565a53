import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** Modules that are started or imported by file name. */
const entryPoints = {
  main: 'cli/main.ts',
  'for-migrations': 'db/migrations/for-migrations.ts',
  'services/credentials/bcryptjs-worker': 'services/credentials/bcryptjs-worker.ts',
  'services/imports/read/thread/worker': 'services/imports/read/thread/worker.ts',
};

/** Plain JavaScript files that are started by file name. */
const copiedFiles = ['db/sqlite/worker.cjs', 'storage/image-worker.mjs'];

/**
 * Bundles the program into a folder: one file with the code of every command, and further files with code loaded on
 * demand. Dependencies stay outside, where npm keeps their versions and licences. See src/package-root.ts for the
 * required places of files.
 */
export async function bundle(folder: string): Promise<void> {
  await build({
    cwd: source,
    input: entryPoints,
    platform: 'node',
    external: /^(?!\.|\/|[A-Za-z]:\\)/,
    tsconfig: false,
    transform: { target: 'es2023' },
    logLevel: 'warn',
    output: { dir: folder, format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  for (const file of copiedFiles) cpSync(path.join(source, file), path.join(folder, file));
}
