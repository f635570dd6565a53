import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Checks the imports of all source files against docs/ARCHITECTURE.md, "Dependency rules". */

const src = fileURLToPath(new URL('../src', import.meta.url));
const allFiles = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(src, path.join(entry.parentPath, entry.name)))
  .sort();
const isOfConsole = (file: string) => file.startsWith('console/');
// test/console/source.test.ts checks the console, which shares no modules with the rest.
const files = allFiles.filter((file) => !isOfConsole(file));
const textOf = (file: string) => readFileSync(path.join(src, file), 'utf8');

interface Import {
  specifier: string;
  /** Whether the build removes the import: `import type`, or an import in a type. */
  typeOnly: boolean;
}

const asImport = ([, type, specifier = '']: RegExpExecArray): Import => ({ specifier, typeOnly: Boolean(type) });

/** Returns the modules that are loaded with a file. */
function statementsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+'([^']+)'/gm);
  const bare = text.matchAll(/^import\s+()'([^']+)'/gm);
  return [...statements, ...bare].map(asImport);
}

/** Returns all imports of a file, in any form. */
function importsOf(text: string): Import[] {
  const dynamic = text.matchAll(/\b(typeof\s+)?import\(\s*'([^']+)'\s*\)/g);
  return [...statementsOf(text), ...[...dynamic].map(asImport)];
}

/** Returns everything that is loaded with a file, directly or indirectly: files of src, and names of packages. */
function loadedWith(start: string): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded) {
    if (!file.endsWith('.ts')) continue;
    for (const { specifier, typeOnly } of statementsOf(textOf(file))) {
      if (typeOnly || specifier.startsWith('node:')) continue;
      const isFile = specifier.startsWith('.');
      loaded.add(isFile ? path.join(path.dirname(file), specifier).replace(/\.js$/, '.ts') : specifier);
    }
  }
  return loaded;
}

interface Edge {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Layers that may import a package. Other layers must use the encapsulating layer. */
const packageLayers: Readonly<Record<string, readonly string[]>> = {
  sequelize: ['db', 'services'],
  'sql-escaper': ['db'],
  '@photostructure/sqlite': ['db'],
  umzug: ['db'],
  'libphonenumber-js/min': ['schemas'],
  express: ['http'],
  multer: ['http'],
  helmet: ['http'],
  cors: ['http'],
  commander: ['cli'],
  inquirer: ['cli'],
  chalk: ['cli'],
  'cli-progress': ['cli'],
  '@aws-sdk/client-s3': ['storage'],
  sharp: ['storage'],
  nodemailer: ['services'],
  yauzl: ['tables'],
  saxes: ['tables'],
  fflate: ['tables'],
  jsonwebtoken: ['services'],
  bcryptjs: ['services'],
  '@node-rs/bcrypt': ['services'],
};

/** Returns the source file of an import: `a.js` is built from `a.ts` or `a.tsx`. */
function targetOf(from: string, specifier: string): string {
  const file = path.join(path.dirname(from), specifier);
  const sources = ['.ts', '.tsx'].map((ending) => file.replace(/\.js$/, ending));
  return sources.find((source) => allFiles.includes(source)) ?? file;
}

const allEdges: Edge[] = allFiles.flatMap((from) =>
  importsOf(textOf(from))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, typeOnly }) => ({ from, to: targetOf(from, specifier), typeOnly })),
);
const edges = allEdges.filter(({ from }) => !isOfConsole(from));

/** Returns the layer of a file: its folder, `root` for common files, or undefined. */
function layerOf(file: string): string | undefined {
  const [folder = '', ...rest] = file.split('/');
  if (rest.length === 0) return 'root';
  return folder in mayImport ? folder : undefined;
}

/** Permitted imports between layers. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  root: [],
  config: ['root'],
  schemas: ['config', 'root'],
  presenters: ['schemas', 'root'],
  tables: ['root'],
  db: ['config', 'root'],
  storage: ['config', 'root'],
  services: ['db', 'schemas', 'tables', 'storage', 'config', 'root'],
  http: ['presenters', 'services', 'schemas', 'tables', 'config', 'root'],
  cli: ['presenters', 'services', 'schemas', 'tables', 'config', 'root'],
};

/**
 * Features of `services` in order: each may import the later ones. `.` are the files directly in the folder, for all
 * features.
 */
const features = [
  ...[
    'overview',
    'maintenance',
    'imports',
    'waiting-list',
    'enrollments',
    'groups',
    'courses',
    'certificates',
    'identities',
    'accounts',
    'files',
  ],
  ...['auth', 'mail', 'completion', 'audit', 'locks', '.', 'credentials'],
];

/** Folders of imports in order: each may import the earlier ones. `commands.ts` may import all. */
const importFolders = ['read', 'plan', 'store', 'output', 'run', 'undo', 'queue', 'commands.ts'];

interface Exception {
  from: RegExp;
  to: RegExp;
  typeOnly: boolean;
}

const exceptions: readonly Exception[] = [
  // This command starts the server.
  { from: /^cli\/commands\/serve\//, to: /^http\/server\/server\.ts$/, typeOnly: false },
  // Only formats and texts. Columns of people belong to imports.
  { from: /^tables\//, to: /^schemas\/(file-format|table-format|text|keys)\.ts$/, typeOnly: false },
  // Only types of presented rows, not the models themselves.
  { from: /^presenters\//, to: /^db\/models\//, typeOnly: true },
  // Columns have the maximum lengths and the permitted values of the schemas: roles, levels, statuses.
  { from: /^db\/models\//, to: /^schemas\/(certificate|keys|search-words|sort-key)\.ts$/, typeOnly: false },
  // Attributes of accounts, and the attributes that each request reads.
  {
    from: /^db\/(models\/(user|course|enrollment)|sql\/session-query)\.ts$/,
    to: /^schemas\/(account-fields|course-fields|enrollment-fields|fields-table|identity)\.ts$/,
    typeOnly: false,
  },
  // The same rule in SQL and in TypeScript.
  { from: /^db\/sql\/search-words\.ts$/, to: /^schemas\/search-words\.ts$/, typeOnly: false },
  { from: /^db\/models\//, to: /^schemas\//, typeOnly: true },
  // Exports for migrations and seeders.
  {
    from: /^db\/migrations\/for-migrations\.ts$/,
    to: /^schemas\/(certificate|keys|search-words|sort-key)\.ts$/,
    typeOnly: false,
  },
];

function isAllowed({ from, to, typeOnly }: Edge): boolean {
  const [fromLayer = '', toLayer = ''] = [layerOf(from), layerOf(to)];
  if (fromLayer === toLayer || mayImport[fromLayer]?.includes(toLayer)) return true;
  return exceptions.some((one) => one.from.test(from) && one.to.test(to) && (typeOnly || !one.typeOnly));
}

const shown = ({ from, to, typeOnly }: Edge) => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

/** Returns imports between folders. A folder has only its direct files; subfolders count as other folders. */
const folderEdges: Edge[] = allEdges
  .map(({ from, to, typeOnly }) => ({ from: path.dirname(from), to: path.dirname(to), typeOnly }))
  .filter(({ from, to }) => from !== to);

/** Returns an import cycle for each file or folder that has one. */
function cyclesOf(all: readonly Edge[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of all) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  function cycleOf(start: string): string[] | undefined {
    const seen = new Set<string>();
    const routes = [[start]];
    for (let route = routes.pop(); route; route = routes.pop()) {
      for (const to of targets.get(route.at(-1) ?? '') ?? []) {
        if (to === start) return [...route, to];
        if (!seen.has(to)) routes.push([...route, to]);
        seen.add(to);
      }
    }
    return undefined;
  }
  return [...targets.keys()].flatMap((start) => {
    const cycle = cycleOf(start);
    return cycle ? [cycle] : [];
  });
}

const filesWith = (pattern: RegExp) =>
  files.filter((file) => pattern.test(textOf(file).replace(/^\s*(\/?\*|\/\/).*$/gm, '')));

describe('The parser of import statements', () => {
  it('finds every form of import', () => {
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
    const types = ['./c.js type', './f.js type', './i.js type'];
    expect(found).to.have.members([...[...'abdegh'].map((name) => `./${name}.js`), ...types]);
  });

  it('resolves every relative import to a file of src', () => {
    expect(edges.length).to.be.greaterThan(100);
    expect(edges.filter(({ to }) => !files.includes(to)).map(shown)).to.deep.equal([]);
  });

  it('finds no import of a computed path', () => {
    expect(filesWith(/\bimport\(\s*[^'\s]/)).to.deep.equal([]);
  });
});

describe('The search for import cycles', () => {
  it('finds cycles of any length, and nothing else', () => {
    const edge = (from: string, to: string): Edge => ({ from, to, typeOnly: true });
    const all = [edge('services', 'services/accounts'), edge('services/accounts', 'db'), edge('db', 'config')];
    expect(cyclesOf(all)).to.deep.equal([]);
    const back = [...all, edge('db', 'services')];
    expect(cyclesOf(back)[0]).to.deep.equal(['services', 'services/accounts', 'db', 'services']);
  });
});

describe('The layers of src', () => {
  it('contain every file', () => {
    expect(files.filter((file) => layerOf(file) === undefined)).to.deep.equal([]);
  });

  it('import only the layers that the matrix allows', () => {
    expect(edges.filter((edge) => !isAllowed(edge)).map(shown)).to.deep.equal([]);
  });

  it('are the only ones that import the packages they encapsulate', () => {
    const uses = files.flatMap((file) => importsOf(textOf(file)).map(({ specifier }) => ({ file, specifier })));
    const strayed = uses.filter(({ file, specifier }) => {
      const layers = packageLayers[specifier];
      return layers && !layers.includes(layerOf(file) ?? '');
    });
    expect(strayed).to.deep.equal([]);
    const unused = Object.keys(packageLayers).filter((name) => !uses.some(({ specifier }) => specifier === name));
    expect(unused).to.deep.equal([]);
  });

  it('leave loading the MySQL and MariaDB driver to Sequelize, which takes a tenth of the start of a command', () => {
    expect(filesWith(/'mysql2\b/)).to.deep.equal([]);
  });

  it('ask Sequelize for the dialect only in db', () => {
    const asking = filesWith(/\bgetDialect\b|\bisSqlite\b/);
    expect(asking.filter((file) => layerOf(file) !== 'db')).to.deep.equal([]);
  });

  it('use every exception to the matrix', () => {
    const unused = exceptions.filter((one) => !edges.some(({ from, to }) => one.from.test(from) && one.to.test(to)));
    expect(unused).to.deep.equal([]);
  });

  it('have no mutual imports between features of services', () => {
    const featureOf = (file: string) => path.relative('services', path.dirname(file)).split('/')[0] || '.';
    const rank = (file: string) => features.indexOf(featureOf(file));
    const unknown = files.filter((file) => file.startsWith('services/') && rank(file) < 0);
    expect(unknown).to.deep.equal([]);
    const inside = edges.filter(({ from, to }) => from.startsWith('services/') && to.startsWith('services/'));
    expect(inside.filter(({ from, to }) => rank(to) < rank(from)).map(shown)).to.deep.equal([]);
  });

  it('apply the effects of enrollment and course changes in one place each', () => {
    const executors = {
      'services/mail/news.ts': ['enrollments'],
      'services/certificates/issue.ts': ['courses', 'enrollments'],
    };
    for (const [part, features] of Object.entries(executors)) {
      const users = edges.filter(({ to, typeOnly }) => to === part && !typeOnly).map(({ from }) => from);
      expect(users, part).to.deep.equal(features.map((feature) => `services/${feature}/effects.ts`));
    }
    const marking = edges.filter(({ to }) => to === 'db/freed-seats.ts').map(({ from }) => from);
    const ofAccounts = ['services/freed-seats.ts'];
    const executed = Object.values(executors)
      .flat()
      .map((feature) => `services/${feature}/effects.ts`);
    expect(new Set(marking)).to.deep.equal(new Set(['db/connection.ts', ...executed, ...ofAccounts]));
  });

  it('have no mutual imports between folders of imports, types included', () => {
    const folderOf = (file: string) => /^services\/imports\/([^/]+)/.exec(file)?.[1];
    const rank = (file: string) => importFolders.indexOf(folderOf(file) ?? '');
    const unknown = files.filter((file) => file.endsWith('.ts') && folderOf(file) !== undefined && rank(file) < 0);
    expect(unknown).to.deep.equal([]);
    const upwards = edges.filter(({ from, to }) => rank(from) >= 0 && rank(to) > rank(from));
    expect(upwards.map(shown)).to.deep.equal([]);
  });

  it('use the parts of effects only in the executors of effects', () => {
    const executors = { 'services/accounts/effect-statements.ts': ['services/accounts/apply-effects.ts'] };
    for (const [parts, executor] of Object.entries(executors)) {
      const importers = edges.filter(({ to }) => to === parts).map(({ from }) => from);
      expect(importers, parts).to.deep.equal(executor);
    }
  });

  it('have no import cycles of files, types included', () => {
    expect(cyclesOf(allEdges)).to.deep.equal([]);
  });

  it('have no import cycles of folders, types included', () => {
    expect(folderEdges.length).to.be.greaterThan(500);
    expect(cyclesOf(folderEdges)).to.deep.equal([]);
  });

  it('have no barrel files except for the models and the modules for migrations', () => {
    const indexes = files.filter((file) => path.basename(file) === 'index.ts');
    const ofCommands = /^cli\/commands\/[\w-]+\/index\.ts$/;
    expect(indexes.filter((file) => !ofCommands.test(file))).to.deep.equal(['db/models/index.ts']);
    expect(filesWith(/^export \{[^}]*\} from/m)).to.deep.equal(['db/migrations/for-migrations.ts']);
    expect(filesWith(/^export \* from/m)).to.deep.equal([]);
  });

  it('have no vague names such as utils or common', () => {
    const vague = files.filter((file) => /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.ts$)/.test(file));
    expect(vague).to.deep.equal([]);
  });
});

describe('The start of a command', () => {
  it('loads only declarations until a command runs, so that help is fast', () => {
    const loaded = [...loadedWith('cli/main.ts')];
    // Options need the list of statuses; this file imports nothing.
    const table = 'schemas/enrollment-statuses.ts';
    expect(loadedWith(table)).to.deep.equal(new Set([table]));
    expect(loaded.filter((name) => /^(services|presenters|schemas|db|config)\//.test(name))).to.deep.equal([table]);
    expect(loaded.filter((name) => !name.endsWith('.ts'))).to.have.members(['commander']);
    expect(loaded).to.not.include('cli/core/command/run.ts');
  });

  it('loads neither Sequelize nor Joi to complete a name, so that completion is fast', () => {
    const used = ['cli/commands/completion/complete.ts', 'services/completion/completion.ts', 'config/config.ts'];
    const loaded = new Set(used.flatMap((file) => [...loadedWith(file)]));
    expect(
      [...loaded].filter((name) => name === 'db/connection.ts' || /^(sequelize|joi|pino|uuid)$/.test(name)),
    ).to.deep.equal([]);
    expect(loaded).to.include('db/sqlite/thread.ts');
  });

  it('loads the migration code only if there are migrations', () => {
    expect([...loadedWith('services/context.ts')])
      .to.include('db/migrations/migrator.ts')
      .and.not.include('umzug');
  });
});

describe('The process', () => {
  it('has its environment read only by config/config.ts and cli/main.ts', () => {
    expect(filesWith(/\bprocess\.env\b|\bfrom 'node:process'/)).to.deep.equal(['cli/main.ts', 'config/config.ts']);
  });

  it('is ended only by cli/main.ts; the image process ends itself', () => {
    const endings = /\bprocess\.(exit\b|exitCode|kill|abort)/;
    expect(filesWith(endings)).to.deep.equal(['cli/main.ts', 'storage/image-worker.mjs']);
  });

  it('never writes to the console, and replaces it only to silence a dependency', () => {
    expect(filesWith(/(?<!-)\bconsole\s*\./)).to.deep.equal(['cli/commands/serve/serve.ts', 'cli/main.ts']);
    expect(filesWith(/(?<!-)\bconsole\s*\.\s*\w+\s*\(/)).to.deep.equal([]);
  });

  it('writes objects plainly, without spreading a literal into another to save lines', () => {
    expect(filesWith(/\.\.\.\{/)).to.deep.equal([]);
  });

  it('normalises text in one file, which bounds the cost', () => {
    const where = files.filter((file) => /\.normalize\(/.test(textOf(file)));
    expect(where).to.deep.equal(['schemas/text.ts']);
  });

  it('makes every input schema with the Joi of schemas/joi.ts, which bounds text', () => {
    const others = files.filter((file) => file.startsWith('schemas/') && /^import Joi from 'joi'/m.test(textOf(file)));
    expect(others).to.deep.equal(['schemas/joi.ts']);
  });
});

describe('Test files', () => {
  const root = path.join(src, '..');

  /** Whether a test file imports another file, directly or indirectly. */
  function reaches(file: string, target: string, seen = new Set<string>()): boolean {
    if (file === target) return true;
    // This file contains import statements as texts, which refer to no files.
    if (seen.has(file) || !file.startsWith('test/') || !existsSync(path.join(root, file))) return false;
    seen.add(file);
    return importsOf(readFileSync(path.join(root, file), 'utf8'))
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => path.join(path.dirname(file), specifier).replace(/\.js$/, '.ts'))
      .some((imported) => reaches(imported, target, seen));
  }

  it('that start the built program or a browser have names that npm test excludes', () => {
    const tests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.join('test', file));
    const misnamed = tests.filter((file) => {
      const isPage = reaches(file, 'test/console/support/browser.ts');
      if (isPage !== file.endsWith('.browser.test.ts')) return true;
      return reaches(file, 'test/support/built-program.ts') && !isPage && !file.endsWith('.process.test.ts');
    });
    expect(misnamed).to.deep.equal([]);
  });
});
