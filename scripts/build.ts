/** Builds the program into `dist`: the bundle, the SQLite library and the manual page. Vite adds the console. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { manPage } from './manual.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * Copies the SQLite library and its binaries for all platforms. As a dependency, the library would bring an install
 * script, which npm 12 refuses to run and the binaries don't need.
 */
function copySqliteLibrary(to: string): void {
  const from = path.dirname(createRequire(import.meta.url).resolve('@photostructure/sqlite/package.json'));
  for (const name of ['package.json', 'LICENSE', 'dist/index.cjs', 'prebuilds'])
    cpSync(path.join(from, name), path.join(to, name), { recursive: true });
}

rmSync(dist, { recursive: true, force: true });
await bundle(dist);
copySqliteLibrary(path.join(dist, 'db', 'sqlite-library'));
mkdirSync(path.join(dist, 'man'));
writeFileSync(path.join(dist, 'man', 'coursectl.1'), await manPage());
