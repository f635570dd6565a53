import type { Express } from 'express';
import { QueryTypes } from 'sequelize';
import request, { type Test } from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { type Deadlines, standardDeadlines } from '../../src/http/overload/deadlines.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger, type Logger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { createPasswordHasher, type PasswordHasher } from '../../src/services/credentials/passwords.js';
import { createImagePreparer } from '../../src/storage/images.js';
import { expectDocumentedCode } from '../http/support/refusal-codes.js';
import { createMigratedDatabase, type TestDatabase } from './database.js';
import { testEnvironment } from './environment.js';
import { afterLastTest } from './last-test.js';
import { scaled } from './machine.js';
import { temporaryFolder } from './temporary-folder.js';

const silent = createLogger('silent', { write: () => undefined });

/** Offset of the program's and the database's clock from the machine's, in milliseconds. */
let aheadMs = 0;

/** Resources shared by the tests of a process. Creating tables and connections for each test would take minutes. */
interface Shared {
  database: TestDatabase;
  hasher: PasswordHasher;
  folder: ReturnType<typeof temporaryFolder>;
  create(settings: Record<string, string>, logger: Logger): Promise<Context>;
  /** The program with the default test settings. */
  context: Context;
}

let shared: Promise<Shared> | undefined;

function openShared(): Promise<Shared> {
  shared ??= (async () => {
    const [database, hasher] = await Promise.all([createMigratedDatabase(), createPasswordHasher()]);
    const folder = temporaryFolder();
    const create = (settings: Record<string, string>, logger: Logger) => {
      const env = { ...testEnvironment, DATABASE_URL: database.url, DATA_DIR: folder.path, ...settings };
      return createContext(loadConfig({ env, cwd: folder.path }), logger, {
        hasher,
        // A process of low priority would wait for minutes while other tests run.
        images: createImagePreparer({ extraNiceness: 0 }),
        now: () => new Date(Date.now() + aheadMs),
        databaseAheadMs: () => aheadMs,
      });
    };
    const context = await create({}, silent);
    afterLastTest(async () => {
      await context.close();
      await hasher.close();
      await database.drop();
      folder.remove();
    });
    return { database, hasher, folder, create, context };
  })();
  return shared;
}

// Child tables come before their parents, because rows are deleted in this order.
const tables = [
  ...[
    'mails',
    'links',
    'calendars',
    'login_throttle',
    'files',
    'certificates',
    'enrollments',
    'former_members',
    'group_enrollments',
    'group_members',
    'groups',
    'courses',
    'import_rows',
    'import_plan_rows',
    'import_plans',
    'imports',
  ],
  ...['audit_entries', 'sessions', 'identities', 'account_words', 'users', 'leases'],
];

/** Query for the tables with rows. After most tests, few tables have rows. */
const filledTables = tables
  .map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM \`${table}\`)`)
  .join(' UNION ALL ');

/** Deletes all rows. */
export async function emptyDatabase({ database }: Context): Promise<void> {
  const filled = await database.sequelize.query<{ name: string }>(filledTables, { type: QueryTypes.SELECT });
  for (const { name } of filled) await database.sequelize.query(`DELETE FROM \`${name}\``);
}

/** Deadlines for dozens of requests that wait for one row, which takes longer on a slow or busy machine. */
export const relaxedDeadlines = { databaseMs: scaled(standardDeadlines.databaseMs) };

export interface Harness {
  context: Context;
  app: Express;
  /** Value of DATABASE_URL, for commands that tests run. */
  databaseUrl: string;
  /** Moves the clocks of the program and of the database. */
  advance(milliseconds: number): void;
  /** Prepares an API request, optionally with a token. */
  api(method: 'get' | 'post' | 'put' | 'delete', path: string, token?: string): Test;
}

/**
 * Gives the enclosing `describe` a program on a database that is emptied before each test. A suite with a logger or
 * settings has a separate program. All other suites share a program.
 * @param settings environment variables in addition to {@link testEnvironment}, or a function that is called before the tests
 * @param options `empty: 'never'`: the tests empty the database; `deadlines` are those of requests
 */
export function useHarness(
  settings: Record<string, string> | (() => Record<string, string>) = {},
  logger: Logger = silent,
  { empty = 'before each', deadlines }: { empty?: 'before each' | 'never'; deadlines?: Partial<Deadlines> } = {},
): Harness {
  const isOwn = typeof settings === 'function' || Object.keys(settings).length > 0 || logger !== silent;
  const harness = {
    advance(milliseconds: number) {
      aheadMs += milliseconds;
    },
    api(method: 'get' | 'post' | 'put' | 'delete', path: string, token?: string) {
      const call = request(harness.app)[method](path).expect(expectDocumentedCode(method, path));
      return token === undefined ? call : call.set('Authorization', `Bearer ${token}`);
    },
  } as Harness;

  before(async () => {
    const { database, create, context } = await openShared();
    harness.databaseUrl = database.url;
    harness.context = isOwn ? await create(typeof settings === 'function' ? settings() : settings, logger) : context;
    harness.app = createApp(harness.context, { ...(deadlines && { deadlines }) });
  });

  beforeEach(async () => {
    aheadMs = 0;
    if (empty === 'before each') await emptyDatabase(harness.context);
  });

  after(async () => {
    if (isOwn) await harness.context.close();
  });
  return harness;
}
