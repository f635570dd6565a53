/**
 * Puts the SQLite library and its binaries for all platforms into `dist`. As a dependency of its own it would bring an
 * install script, which npm 12 refuses to run and the binaries don't need.
 */
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const from = path.dirname(createRequire(import.meta.url).resolve('@photostructure/sqlite/package.json'));
const to = fileURLToPath(new URL('../dist/db/sqlite-library/', import.meta.url));
rmSync(to, { recursive: true, force: true });
for (const name of ['package.json', 'LICENSE', 'dist/index.cjs', 'prebuilds']) {
  cpSync(path.join(from, name), path.join(to, name), { recursive: true });
}
