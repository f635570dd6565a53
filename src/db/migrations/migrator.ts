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

/** Milliseconds to wait for another process, which usually runs the same migrations. */
const lockWaitMs = 60_000;

/** Adds rows in the transaction that inserts the demo data. */
type AlsoInTransaction = (transaction: Transaction) => Promise<void>;

/** File of the package that belongs to a course of the demo programme. */
export interface DemoFile {
  kind: 'thumbnail' | 'material';
  name: string;
  /** Absolute path. */
  path: string;
  courseId: string;
  trainerId: string;
}

/** Rows of the demo programme as database columns, with the dates of the seeder's lists. */
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
    created_at: Date;
  }[];
  courses: { id: string; title: string; trainer_id: string; updated_at: Date }[];
  enrollments: { id: string; updated_at: Date }[];
}

/** Throws if the demo data must not be removed, for example because people have changed them. Runs in the transaction that removes the rows. */
type AssertRemovable = (transaction: Transaction, rows: DemoRows) => Promise<void>;

/**
 * Third argument of migrations and seeders. coursectl passes it, sequelize-cli doesn't. Migrations get only the field
 * `program`.
 */
interface StepContext {
  program: typeof program;
  now?: Date;
  today?: string;
  alsoInTransaction?: AlsoInTransaction;
  assertRemovable?: AssertRemovable;
}

type StepFunction = (queryInterface: QueryInterface, sequelize: typeof Sequelize, given: StepContext) => Promise<void>;

interface StepModule {
  up: StepFunction;
  down: StepFunction;
}

interface DemoModule extends StepModule {
  files(givenProgram: typeof program): DemoFile[];
}

const require = createRequire(packageFolder);

// Not checked: a file without these functions fails when it runs.
const loadStepModule = (file: string) => require(file) as StepModule;

/**
 * Loads Umzug and sets it up. Umzug is imported only here, because it loads two hundred files, most of them for its
 * command line.
 */
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

/** Returns the executed migrations without creating their table; empty if the database is empty. */
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

export interface MigrationStatus {
  executed: string[];
  pending: string[];
  /** Executed migrations that this program doesn't have: the database is newer. */
  unknown: string[];
}

/** Compares the migrations of this program with those in the database. Reads only. */
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

/** @throws AppError `SCHEMA_OUTDATED` if a newer program has changed the schema */
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
 * Runs work on connections without a time limit. Changing a large table, or waiting for a locked one, takes minutes. If
 * coursectl stopped waiting, the server would still run the statement during the next migration. The lease is renewed on the
 * usual connections, with the usual limit.
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

export type MigrationWait = Pick<LeaseOptions, 'signal' | 'onWait'>;

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
  // Umzug wraps the error of a migration.
  const isWrapped = error instanceof Error && !(error instanceof AppError) && error.cause !== undefined;
  const cause = isWrapped ? error.cause : error;
  const translated = translateError(cause, database.settings);
  // If a step needs a missing column, the error is SCHEMA_OUTDATED, but its advice to migrate would not help. For a taken
  // email or phone, the message quotes the translated error.
  const isTaken = isAppError(translated, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'SUPER_ADMIN_EXISTS');
  if (translated instanceof AppError && !isTaken && !isAppError(translated, 'SCHEMA_OUTDATED')) return translated;
  const reason = isTaken ? translated : error;
  const message = (reason instanceof Error ? reason.message : String(reason)).replace(/\.$/, '');
  return new AppError(
    'MIGRATION_FAILED',
    `The ${work} failed: ${message}. Fix the cause and run it again: each step can be repeated.`,
    { cause: reason },
  );
}

/** @throws AppError `DATABASE_UNUSABLE` on a server such as TiDB, and the errors of {@link assertSchemaNotNewer} */
async function assertChangeable(database: Database): Promise<void> {
  await database.read(() => serverVersion(database.sequelize));
  await assertSchemaNotNewer(database);
}

/**
 * Applies all pending migrations. Safe to run concurrently.
 * @returns the names of the applied migrations
 * @throws AppError `SCHEMA_OUTDATED` if a newer program has changed the schema, `DATABASE_UNUSABLE` on a server
 *   such as TiDB, `MIGRATION_FAILED`, `MIGRATION_LOCKED`
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
 * Reverts the latest migrations, and deletes the data in their tables.
 * @param steps number of migrations; `all` empties the database
 * @throws the errors of {@link migrateUp}
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

interface DemoSeeding {
  /** Present, to which the seeder moves its dates. */
  now: Date;
  /** Day in the programme's time zone, as `YYYY-MM-DD`. */
  today: string;
  /** Runs in the transaction that inserts the rows. */
  alsoInTransaction?: AlsoInTransaction;
}

/**
 * Runs the demo seeder, which does nothing if its rows exist. Safe to run concurrently. The caller must have checked
 * that the demo may be loaded: the seeder checks that only without `alsoInTransaction`, as under sequelize-cli.
 * @throws AppError `SCHEMA_OUTDATED` before any write, `MIGRATION_LOCKED`, `MIGRATION_FAILED` with the cause
 *   `EMAIL_TAKEN` or `PHONE_TAKEN` if an account has the email or phone of a demo account
 */
export async function seedDemo(
  database: Database,
  { alsoInTransaction = async () => undefined, ...present }: DemoSeeding,
  waiting: MigrationWait = {},
): Promise<void> {
  await assertSchemaCurrent(database);
  const given = { program, alsoInTransaction, ...present };
  const seed = () => loadStepModule(demoSeeder).up(database.sequelize.getQueryInterface(), Sequelize, given);
  await runExclusively(database, 'seeding', seed, waiting);
}

/** Returns the files of the demo's courses, which the seeder doesn't add. */
export const demoFiles = (): DemoFile[] => (require(demoSeeder) as DemoModule).files(program);

/**
 * Removes the rows of the demo seeder, and marks the files of its courses for deletion.
 * @throws AppError `SCHEMA_OUTDATED` before any removal, `MIGRATION_LOCKED`, `MIGRATION_FAILED`; and the errors of
 *   `assertRemovable`
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
