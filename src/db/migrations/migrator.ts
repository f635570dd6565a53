import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type QueryInterface, QueryTypes, Sequelize, type Transaction } from 'sequelize';
import type { Umzug } from 'umzug';
import { AppError, isAppError } from '../../errors.js';
import { packageFile, packageFolder } from '../../package-root.js';
import { type Database, openDatabase } from '../connection.js';
import { isSqlite, serverVersion } from '../dialect.js';
import { type LeaseOptions, withLease } from '../lease.js';
import { translateError } from '../translate-error.js';
import * as program from './for-migrations.js';

const migrationsFolder = packageFile('migrations');
const demoSeeder = packageFile('seeders/20260101000001-demo.cjs');

/** How long a migration waits for another one, which then has done its work already. */
const lockWaitMs = 60_000;

/** What is committed with the demo programme, if it is added. */
type AlsoInTransaction = (transaction: Transaction) => Promise<void>;

/** The rows of the demo programme as the seeder adds them, in columns of the database. */
export interface DemoRows {
  users: {
    id: string;
    first_name: string;
    last_name: string;
    email: string;
    phone: string;
    role: string;
    is_active: boolean;
    requires_password_change: boolean;
  }[];
  courses: { id: string; title: string; trainer_id: string; updated_at: Date }[];
  enrollments: { id: string; updated_at: Date }[];
}

/** Throws, in the transaction that would remove the demo programme, when it has to stay. */
type AssertRemovable = (transaction: Transaction, rows: DemoRows) => Promise<void>;

/** What a seeder is given by the program, and not by sequelize-cli; of migrations the functions alone. */
interface StepContext {
  program: typeof program;
  alsoInTransaction?: AlsoInTransaction;
  assertRemovable?: AssertRemovable;
}

type StepFunction = (queryInterface: QueryInterface, sequelize: typeof Sequelize, given: StepContext) => Promise<void>;

interface StepModule {
  up: StepFunction;
  down: StepFunction;
}

const require = createRequire(packageFolder);

// A file of another shape fails when it runs.
const loadStepModule = (file: string) => require(file) as StepModule;

/** Umzug is loaded when there are steps to run: it brings two hundred files, most of them for a command line of its own. */
async function createUmzug({ sequelize }: Database): Promise<Umzug<QueryInterface>> {
  const { SequelizeStorage, Umzug } = await import('umzug');
  return new Umzug<QueryInterface>({
    migrations: {
      glob: ['*.cjs', { cwd: migrationsFolder }],
      resolve: ({ name, context }) => {
        const { up, down } = loadStepModule(path.join(migrationsFolder, name));
        const run = (step: StepFunction) => () => step(context, Sequelize, { program });
        return { name, up: run(up), down: run(down) };
      },
    },
    context: sequelize.getQueryInterface(),
    storage: new SequelizeStorage({ sequelize, tableName: 'SequelizeMeta' }),
    logger: undefined,
  });
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(migrationsFolder)).filter((name) => name.endsWith('.cjs')).sort();
}

/** The executed migrations, read without creating a table; none when the database is empty. */
async function executedMigrations(database: Database): Promise<string[]> {
  try {
    const rows = await database.read(() =>
      database.sequelize.query<{ name: string }>('SELECT name FROM `SequelizeMeta` ORDER BY name', {
        type: QueryTypes.SELECT,
      }),
    );
    return rows.map((row) => row.name);
  } catch (error) {
    if (isAppError(error, 'SCHEMA_OUTDATED')) return [];
    throw error;
  }
}

/** Names of migrations, in their order. */
export interface MigrationStatus {
  executed: string[];
  pending: string[];
  /** In the database but not in this program: the database is newer. */
  unknown: string[];
}

/** Which migrations are executed and which are pending; reads only. */
export async function migrationStatus(database: Database): Promise<MigrationStatus> {
  const files = await migrationFiles();
  const executed = await executedMigrations(database);
  return {
    executed: executed.filter((name) => files.includes(name)),
    pending: files.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !files.includes(name)),
  };
}

function assertKnown({ unknown }: MigrationStatus): void {
  if (unknown.length > 0)
    throw new AppError(
      'SCHEMA_OUTDATED',
      `The database schema is newer than this program (${unknown.join(', ')}). Update coursectl.`,
    );
}

/** @throws AppError `SCHEMA_OUTDATED` when a newer program has changed the schema, which this one must not change then */
export async function assertSchemaNotNewer(database: Database): Promise<void> {
  assertKnown(await migrationStatus(database));
}

/** @throws AppError `SCHEMA_OUTDATED` unless the schema is exactly this program's */
export async function assertSchemaCurrent(database: Database): Promise<void> {
  const status = await migrationStatus(database);
  assertKnown(status);
  if (status.pending.length > 0)
    throw new AppError(
      'SCHEMA_OUTDATED',
      `The database schema is not up to date (${status.pending.length} pending). Run: coursectl migrate up`,
    );
}

/**
 * Runs work whose statements may take as long as they need: changing a large table takes minutes, and so may waiting for
 * one that others use. A server goes on with a statement whose client gave up, beside the next migration. The connections
 * are others than the lease is renewed by, which has the usual limit.
 */
async function withoutTimeLimit<T>(database: Database, work: (unlimited: Database) => Promise<T>): Promise<T> {
  if (isSqlite(database.sequelize)) return work(database);
  const unlimited = openDatabase(database.settings, { inactivityMs: 0 });
  try {
    return await work(unlimited);
  } finally {
    await unlimited.close();
  }
}

/** How to wait for another migration: what ends the wait, and who is told of it. */
export type MigrationWait = Pick<LeaseOptions, 'signal' | 'onWait'>;

/** Runs steps under a lease that migrations and seeding share. */
async function runExclusively<T>(
  database: Database,
  work: 'migration' | 'seeding',
  run: () => Promise<T>,
  waiting: MigrationWait,
): Promise<T> {
  const refusal = () =>
    new AppError(
      'MIGRATION_LOCKED',
      'Another migration is still running. Wait for it, then run: coursectl migrate status',
    );
  try {
    return await withLease(database, 'migrations', lockWaitMs, refusal, run, waiting);
  } catch (error) {
    throw stepError(error, work, database);
  }
}

function stepError(error: unknown, work: 'migration' | 'seeding', database: Database): unknown {
  // Umzug wraps what a migration threw.
  const isWrapped = error instanceof Error && !(error instanceof AppError) && error.cause !== undefined;
  const cause = isWrapped ? error.cause : error;
  const translated = translateError(cause, database.settings);
  // A step that misses a column needs a fix rather than "migrate up", and a violated constraint needs its cause in the message.
  const taken = isAppError(translated, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'SUPER_ADMIN_EXISTS');
  if (translated instanceof AppError && !taken && !isAppError(translated, 'SCHEMA_OUTDATED')) return translated;
  const reason = taken ? translated : error;
  const message = (reason instanceof Error ? reason.message : String(reason)).replace(/\.$/, '');
  return new AppError(
    'MIGRATION_FAILED',
    `The ${work} failed: ${message}. Fix the cause and run it again: each step can be repeated.`,
    { cause: reason },
  );
}

/** @throws AppError `DATABASE_UNUSABLE` on a server of another kind, and as {@link assertSchemaNotNewer} */
async function assertChangeable(database: Database): Promise<void> {
  await database.read(() => serverVersion(database.sequelize));
  await assertSchemaNotNewer(database);
}

/**
 * Applies all pending migrations; safe to run concurrently.
 * @returns the names of those applied
 * @throws AppError `SCHEMA_OUTDATED` when a newer program has changed the schema, `DATABASE_UNUSABLE` on a server of another kind,
 *   `MIGRATION_FAILED`, `MIGRATION_LOCKED`
 */
export async function migrateUp(database: Database, waiting: MigrationWait = {}): Promise<string[]> {
  await assertChangeable(database);
  const up = async () => {
    const { pending } = await migrationStatus(database);
    if (pending.length === 0) return [];
    return withoutTimeLimit(database, async (unlimited) => (await createUmzug(unlimited)).up());
  };
  return (await runExclusively(database, 'migration', up, waiting)).map(({ name }) => name);
}

/**
 * Reverts the latest migrations, with the data in their tables.
 * @param steps how many; `all` for an empty database
 * @throws as {@link migrateUp}
 */
export async function migrateDown(
  database: Database,
  steps: number | 'all',
  waiting: MigrationWait = {},
): Promise<string[]> {
  await assertChangeable(database);
  const down = () =>
    withoutTimeLimit(database, async (unlimited) =>
      (await createUmzug(unlimited)).down(steps === 'all' ? { to: 0 } : { step: steps }),
    );
  return (await runExclusively(database, 'migration', down, waiting)).map(({ name }) => name);
}

/**
 * Runs the demo seeder, which does nothing when its rows exist; safe to run concurrently. Whether the demo may be loaded its
 * caller has checked: the seeder itself checks that under sequelize-cli only, which gives it no `alsoInTransaction`.
 * @param alsoInTransaction committed with the rows, when there are new ones
 * @throws AppError `SCHEMA_OUTDATED` before anything is written, `MIGRATION_LOCKED`, `MIGRATION_FAILED`, whose cause is
 *   `EMAIL_TAKEN` or `PHONE_TAKEN` when an account has one of the demo's
 */
export async function seedDemo(
  database: Database,
  waiting: MigrationWait = {},
  alsoInTransaction: AlsoInTransaction = async () => undefined,
): Promise<void> {
  await assertSchemaCurrent(database);
  const given = { program, alsoInTransaction };
  const seed = () => loadStepModule(demoSeeder).up(database.sequelize.getQueryInterface(), Sequelize, given);
  await runExclusively(database, 'seeding', seed, waiting);
}

/**
 * Removes the rows of the demo seeder.
 * @throws AppError `SCHEMA_OUTDATED` before anything is removed, `MIGRATION_LOCKED`, `MIGRATION_FAILED`; what `assertRemovable` throws
 */
export async function unseedDemo(
  database: Database,
  assertRemovable: AssertRemovable,
  waiting: MigrationWait = {},
): Promise<void> {
  await assertSchemaCurrent(database);
  const given = { program, assertRemovable };
  const remove = () => loadStepModule(demoSeeder).down(database.sequelize.getQueryInterface(), Sequelize, given);
  await runExclusively(database, 'seeding', remove, waiting);
}
