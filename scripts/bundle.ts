import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/** What is started or imported by the name of its file. */
const entryPoints = {
  main: 'cli/main.ts',
  'for-migrations': 'db/migrations/for-migrations.ts',
  'services/credentials/bcryptjs-worker': 'services/credentials/bcryptjs-worker.ts',
  'services/imports/read/thread/worker': 'services/imports/read/thread/worker.ts',
};

/** What is started by the name of its file, and is plain JavaScript already. */
const copiedFiles = ['db/sqlite/worker.cjs', 'storage/image-worker.mjs'];

/**
 * Bundles the program into a folder: the code that every command needs, and a file for what each loads besides. Dependencies stay
 * outside, where npm keeps their versions and licences. See src/package-root.ts for where its parts have to be.
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
