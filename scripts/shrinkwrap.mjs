/**
 * Writes npm-shrinkwrap.json, by which the published package is installed with the versions that were tested:
 * package-lock.json without what only development needs. `--remove` takes it away again; npm would prefer it here.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const file = 'npm-shrinkwrap.json';
if (process.argv.includes('--remove')) rmSync(file, { force: true });
else {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { devDependencies: _development, ...root } = lock.packages[''];
  const needed = Object.entries(lock.packages).filter(([location, { dev }]) => location !== '' && !dev);
  const packages = { '': root, ...Object.fromEntries(needed) };
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}
