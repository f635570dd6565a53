import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { loadConfig } from '../src/config/config.js';
import { warningCodes } from '../src/schemas/import.js';
import { rowCodes } from '../src/services/imports/read/fields/row-codes.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Checks facts in the documents against the code. */

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const map = 'docs/ARCHITECTURE.md';
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const readmes = ['bench/README.md', 'src/http/overload/README.md', 'src/services/imports/README.md'];

describe('The documents', () => {
  it('name only existing files', () => {
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/(?<![\w./-])(?:src|test|docs|migrations|bench|examples)\/[\w./-]+\.\w+/g)].map(
        ([file]) => file,
      ),
    );
    expect(named.length).to.be.greaterThan(30);
    // Files that the tour creates beside its file of people.
    const missing = named.filter((file) => !existsSync(path.join(root, file)) && !file.endsWith('.credentials.csv'));
    expect(missing).to.deep.equal([]);
  });

  it('link to headings and files that exist', () => {
    const anchors = (text: string) =>
      [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
    const broken = [...documents, ...readmes].flatMap((document) =>
      [...read(document).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, file = '', anchor]) => {
        const target = file === '' ? document : path.join(path.dirname(document), file);
        const isThere = existsSync(path.join(root, target)) && (!anchor || anchors(read(target)).includes(anchor));
        return isThere ? [] : [`${document}: ${link}`];
      }),
    );
    expect(broken).to.deep.equal([]);
  });

  it('explain every code of a row and every warning of an import', () => {
    const manual = read('docs/IMPORTING.md');
    expect([...rowCodes, ...warningCodes].filter((code) => !manual.includes(`\`${code}\``))).to.deep.equal([]);
  });
});

describe('The map of the code', () => {
  const prose = read(map).replace(/```.*?```/s, '');
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

  it('names paths that exist', () => {
    const paths = quoted.filter((text) => /^[\w./-]+\/([\w.-]+)?$/.test(text) && !/^\w+\/$/.test(text));
    expect(paths.length).to.be.greaterThan(60);
    const missing = paths.filter((file) => ![`src/${file}`, file].some((one) => existsSync(path.join(root, one))));
    expect(missing).to.deep.equal([]);
  });

  it('names functions and constants that exist', () => {
    const names = quoted.flatMap((text) => /^[a-z]+[A-Z]\w*(?=(\(\.*\))?$)/.exec(text)?.[0] ?? []);
    expect(names.length).to.be.greaterThan(10);
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => read(`src/${file}`))
      .join('\n');
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).to.deep.equal([]);
  });
});

describe('.env.example', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('contains the defaults of all settings', () => {
    const defaults = loadConfig({ env: {}, cwd: folder.path });
    writeFileSync(path.join(folder.path, '.env'), read('.env.example'));
    expect(loadConfig({ env: {}, cwd: folder.path })).to.deep.equal(defaults);
  });
});
