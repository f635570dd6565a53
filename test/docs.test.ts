import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadConfig } from '../src/config/config.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Holds against the code what the documents list of it. */

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('The documents', () => {
  it('name existing files only', () => {
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/(?<![\w./-])(?:src|test|docs|migrations|bench|examples)\/[\w./-]+\.\w+/g)].map(
        ([file]) => file,
      ),
    );
    expect(named.length).to.be.greaterThan(30);
    // What the tour makes beside its file of people.
    const missing = named.filter((file) => !existsSync(path.join(root, file)) && !file.endsWith('.credentials.csv'));
    expect(missing).to.deep.equal([]);
  });

  it('name every file of src in the tree, or its pattern or folder', () => {
    const tree = /```\n(.*?)```/s.exec(read('docs/ARCHITECTURE.md'))?.[1] ?? '';
    const words = new Set(tree.match(/[\w-]+/g));
    const asOne = /^(cli\/commands|db\/models|http\/(handlers|middleware|api\/operations)|console)\//;
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const unnamed = files.filter(
      (file) => file.endsWith('.ts') && !asOne.test(file) && !words.has(path.basename(file, '.ts')),
    );
    expect(unnamed).to.deep.equal([]);
  });
});

describe('.env.example', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('holds the defaults', () => {
    const defaults = loadConfig({ env: {}, cwd: folder.path });
    writeFileSync(path.join(folder.path, '.env'), read('.env.example'));
    expect(loadConfig({ env: {}, cwd: folder.path })).to.deep.equal(defaults);
  });
});
