import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Holds the imports of every source file against docs/ARCHITECTURE.md, "Who may import whom". */

const src = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(src, path.join(entry.parentPath, entry.name)))
  .sort();
const textOf = (file: string) => readFileSync(path.join(src, file), 'utf8');

interface Import {
  specifier: string;
  /** Gone when built: `import type`, or a type in the place of a type. */
  typeOnly: boolean;
}

/** What a file imports, in whatever form. */
function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+'([^']+)'/gm);
  const bare = text.matchAll(/^import\s+()'([^']+)'/gm);
  const dynamic = text.matchAll(/\b(typeof\s+)?import\(\s*'([^']+)'\s*\)/g);
  return [...statements, ...bare, ...dynamic].map(([, type, specifier = '']) => ({
    specifier,
    typeOnly: Boolean(type),
  }));
}

interface Edge {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Which rooms may use a package that one of them is there to hide. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  sequelize: ['db', 'services'],
  ...{ mysql2: ['db'], '@photostructure/sqlite': ['db'], umzug: ['db'] },
  ...{ express: ['http'], multer: ['http'], helmet: ['http'], cors: ['http'], 'pino-http': ['http'] },
  ...{ commander: ['cli'], inquirer: ['cli'], chalk: ['cli'], 'cli-progress': ['cli'] },
  ...{ '@aws-sdk/client-s3': ['storage'], sharp: ['storage'] },
  ...{ jsonwebtoken: ['services'], bcryptjs: ['services'], '@node-rs/bcrypt': ['services'] },
};

const edges: Edge[] = files.flatMap((from) =>
  importsOf(textOf(from))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, typeOnly }) => ({
      from,
      to: path.join(path.dirname(from), specifier).replace(/\.js$/, '.ts'),
      typeOnly,
    })),
);

const rootFiles = [
  'config.ts',
  'database-url.ts',
  'errors.ts',
  'installation.ts',
  'logger.ts',
  'settings.ts',
  'shown-settings.ts',
  'version.ts',
];

/** The room of a file: its folder, `root` for what everybody may use, or nothing. */
function roomOf(file: string): string | undefined {
  if (rootFiles.includes(file)) return 'root';
  if (file === 'context.ts') return 'context';
  const [folder] = file.split('/');
  return folder !== undefined && folder in mayImport ? folder : undefined;
}

/** Who may import whom, besides their own room. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  root: [],
  schemas: ['root'],
  db: ['root'],
  storage: ['root'],
  services: ['db', 'schemas', 'storage', 'root'],
  context: ['db', 'services', 'storage', 'root'],
  http: ['context', 'services', 'schemas', 'root'],
  cli: ['context', 'services', 'schemas', 'root'],
};

interface Exception {
  from: RegExp;
  to: RegExp;
  typeOnly: boolean;
}

const exceptions: readonly Exception[] = [
  // The command that starts the server.
  { from: /^cli\/commands\/serve\.ts$/, to: /^http\/server\.ts$/, typeOnly: false },
  // The shapes of what is presented; the models themselves stay out of reach.
  { from: /^http\/present\.ts$/, to: /^db\/models\//, typeOnly: true },
  // A column is as wide as what is written to it, and holds the words that are valid: roles, levels, statuses.
  { from: /^db\/models\//, to: /^schemas\/keys\.ts$/, typeOnly: false },
  { from: /^db\/models\//, to: /^schemas\//, typeOnly: true },
];

function isAllowed({ from, to, typeOnly }: Edge): boolean {
  const [fromRoom = '', toRoom = ''] = [roomOf(from), roomOf(to)];
  if (fromRoom === toRoom || mayImport[fromRoom]?.includes(toRoom)) return true;
  return exceptions.some((one) => one.from.test(from) && one.to.test(to) && (typeOnly || !one.typeOnly));
}

const shown = ({ from, to, typeOnly }: Edge) => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

/** The first way from a file back to itself, if there is one. */
function cycleThrough(start: string): string[] | undefined {
  const seen = new Set<string>();
  const ways = [[start]];
  for (let way = ways.pop(); way; way = ways.pop()) {
    for (const { to } of edges.filter((edge) => edge.from === way?.at(-1))) {
      if (to === start) return [...way, to];
      if (!seen.has(to)) ways.push([...way, to]);
      seen.add(to);
    }
  }
  return undefined;
}

const filesWith = (pattern: RegExp) =>
  files.filter((file) => pattern.test(textOf(file).replace(/^\s*(\/?\*|\/\/).*$/gm, '')));

describe('the reader of imports', () => {
  it('knows every form', () => {
    const text = `
import a from './a.js';
import {
  b,
  type B,
} from './b.js';
import type { C } from './c.js';
import './d.js';
export { e } from './e.js';
export type { F } from './f.js';
export * from './g.js';
const h = await import('./h.js');
type I = typeof import('./i.js');
const notOne = 'nothing';
`;
    const found = importsOf(text).map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`);
    expect(found.sort()).to.deep.equal([
      ...['./a.js', './b.js', './c.js type', './d.js', './e.js', './f.js type', './g.js', './h.js', './i.js type'],
    ]);
  });

  it('finds files of ours behind all relative imports', () => {
    expect(edges.length).to.be.greaterThan(100);
    expect(edges.filter(({ to }) => !files.includes(to)).map(shown)).to.deep.equal([]);
  });

  it('meets no import of something computed', () => {
    expect(filesWith(/\bimport\(\s*[^'\s]/)).to.deep.equal([]);
  });
});

describe('the rooms of src', () => {
  it('hold every file', () => {
    expect(files.filter((file) => roomOf(file) === undefined)).to.deep.equal([]);
  });

  it('import each other as the matrix allows', () => {
    expect(edges.filter((edge) => !isAllowed(edge)).map(shown)).to.deep.equal([]);
  });

  it('keep to themselves the packages that they hide', () => {
    const uses = files.flatMap((file) => importsOf(textOf(file)).map(({ specifier }) => ({ file, specifier })));
    const strayed = uses.filter(({ file, specifier }) => {
      const rooms = packageRooms[specifier];
      return rooms && !rooms.includes(roomOf(file) ?? '');
    });
    expect(strayed).to.deep.equal([]);
    const unused = Object.keys(packageRooms).filter((name) => !uses.some(({ specifier }) => specifier === name));
    expect(unused).to.deep.equal([]);
  });

  it('outside of db never ask Sequelize which database it is', () => {
    const asking = filesWith(/\bgetDialect\b|\bisSqlite\b/);
    expect(asking.filter((file) => roomOf(file) !== 'db')).to.deep.equal([]);
    expect(filesWith(/\bgetDialect\b/)).to.deep.equal(['db/dialect.ts']);
  });

  it('need every exception to the matrix', () => {
    const unused = exceptions.filter((one) => !edges.some(({ from, to }) => one.from.test(from) && one.to.test(to)));
    expect(unused).to.deep.equal([]);
  });

  it('have no cycles among their files, type-only imports included', () => {
    expect(files.map(cycleThrough).filter(Boolean)).to.deep.equal([]);
  });

  it('have no barrels but that of the models', () => {
    expect(files.filter((file) => path.basename(file) === 'index.ts')).to.deep.equal(['db/models/index.ts']);
    expect(filesWith(/^export \* from/m)).to.deep.equal([]);
  });

  it('are not called after nothing', () => {
    const vague = files.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.ts$)/.test(file));
    expect(vague).to.deep.equal([]);
  });
});

describe('the process', () => {
  it('shows its environment to the configuration, and to the command line that hands it on', () => {
    expect(filesWith(/\bprocess\.env\b|\bfrom 'node:process'/)).to.deep.equal(['cli/main.ts', 'config.ts']);
  });

  it('is ended by the command line alone; the one that prepares pictures ends itself', () => {
    const endings = /\bprocess\.(exit\b|exitCode|kill|abort)/;
    expect(filesWith(endings)).to.deep.equal(['cli/main.ts', 'storage/image-worker.ts']);
  });

  it('is written to by nobody directly: the console is only touched to quiet a dependency', () => {
    expect(filesWith(/\bconsole\s*\./)).to.deep.equal(['cli/commands/serve.ts', 'cli/main.ts']);
    expect(filesWith(/\bconsole\s*\.\s*\w+\s*\(/)).to.deep.equal([]);
  });

  it('normalises text in one place, which bounds what that costs', () => {
    const where = files.filter((file) => /\.normalize\(/.test(textOf(file)));
    expect(where).to.deep.equal(['schemas/text.ts']);
  });

  it('makes every schema for input of the Joi that bounds it', () => {
    const others = files.filter((file) => file.startsWith('schemas/') && /^import Joi from 'joi'/m.test(textOf(file)));
    expect(others).to.deep.equal(['schemas/joi.ts']);
  });
});
