/** A checkout with leftovers of earlier work. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Patterns of .gitignore. All of them apply at any depth. */
const patterns = readFileSync(path.join(repository, '.gitignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ line, ignores: !line.startsWith('!'), ofFolders: line.endsWith('/') }))
  .map(({ line, ...kind }) => {
    const glob = line.replace(/^!|\/$/g, '');
    if (!/^[\w.*-]+$/.test(glob)) throw new Error(`.gitignore: cannot read the pattern ${line}`);
    return { ...kind, matches: new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`) };
  });

/** Whether .gitignore excludes a file or folder. */
export const isIgnored = (name: string, isFolder = false): boolean =>
  patterns.findLast(({ matches, ofFolders }) => matches.test(name) && (isFolder || !ofFolders))?.ignores ?? false;

/** Returns the paths of the repository's files, also in a downloaded archive. Leaves out files that .gitignore excludes. */
export function repositoryFiles(below = ''): string[] {
  const entries = readdirSync(path.join(repository, below), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.name === '.git' || isIgnored(entry.name, entry.isDirectory())) return [];
    return entry.isDirectory() ? repositoryFiles(name) : [name];
  });
}

/** Copies the repository's files, like a clone. */
export function copyRepository(to: string): void {
  for (const name of repositoryFiles()) cpSync(path.join(repository, name), path.join(to, name));
}

/** Content of all planted files. */
const secret = 'planted-Fz81-password';

/** Files that commands leave behind: files beside an imported file, the data folder, and settings. */
const leftovers = [
  ...['people.csv', 'people.credentials.csv', 'people.credentials-2.csv', 'people.credentials-12.csv.part'],
  ...['people.rejected.csv', 'people.rejected-2.csv', 'credentials-0199a1f2.csv', 'rejected-0199a1f2.csv'],
  ...['people.credentials.xlsx.part', 'people.rejected.xlsx', 'people.rejected.xlsx.csv', 'rejected-0199a1f2.xlsx'],
  ...['.env', '.env.production', 'secret.yaml', 'data/jwt-secret', 'data/coursectl.sqlite'],
  ...['data/imports/0199a1f2/credentials.csv', 'backup/coursectl.sqlite', 'coursectl-0.0.1.tgz'],
];

/** Plants leftover files in a checkout and all its folders. */
export function plantLeftovers(checkout: string): void {
  const entries = readdirSync(checkout, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter(
      (entry) => entry.isDirectory() && !/[\\/]node_modules([\\/]|$)/.test(path.join(entry.parentPath, entry.name)),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
  for (const folder of [checkout, ...folders])
    for (const name of leftovers) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `${secret}\n`);
    }
}

/** Returns the planted files below a folder, even if they were renamed. */
export function plantedIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file).includes(secret)).map((file) => path.relative(folder, file));
}
