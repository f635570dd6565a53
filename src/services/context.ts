import type { Config } from '../config/config.js';
import { assertSpaceLeft, assertWritable, createDatabase, probe } from '../db/admin/probe.js';
import { removeUnusedFile } from '../db/admin/sqlite-removal.js';
import { type Database, openDatabase } from '../db/connection.js';
import { databaseNow, serverProblems, serverVersion } from '../db/dialect.js';
import {
  assertSchemaCurrent,
  assertSchemaNotNewer,
  type MigrationWait,
  migrateDown,
  migrateUp,
  migrationStatus,
} from '../db/migrations/migrator.js';
import type { Logger } from '../logger.js';
import { createImagePreparer, type ImagePreparer } from '../storage/images.js';
import { openStorage } from '../storage/open-storage.js';
import type { Core } from './core.js';
import { createPasswordHasher, type PasswordHasher } from './credentials/passwords.js';
import type { Tokens } from './credentials/tokens.js';
import { FreedSeats } from './freed-seats.js';

/** All dependencies of the program. The caller must close the context. */
export interface Context extends Core {
  schema: Schema;
  /** Calls after the first one have no effect. */
  close(): Promise<void>;
}

/** User of the terminal, and replacements for tests. */
export interface ContextOptions {
  /** See {@link Core}. */
  osUser?: string | undefined;
  /** Clock for tests. */
  now?: () => Date;
  /** Milliseconds added to the time of the database in tests, which can't set the database's clock. */
  databaseAheadMs?: () => number;
  /** Hasher for tests, which close it themselves. */
  hasher?: PasswordHasher;
  /** Closed with the context. */
  images?: ImagePreparer;
}

/** Administration of the database for commands, so that commands don't import `db`. */
function schemaOf(database: Database) {
  const { sequelize, settings, read } = database;
  return {
    status: () => migrationStatus(database),
    up: (waiting?: MigrationWait) => migrateUp(database, waiting),
    down: (steps: number | 'all', waiting?: MigrationWait) => migrateDown(database, steps, waiting),
    assertCurrent: () => assertSchemaCurrent(database),
    assertNotNewer: () => assertSchemaNotNewer(database),
    assertWritable: () => assertWritable(database),
    assertSpaceLeft: () => assertSpaceLeft(settings),
    serverVersion: () => read(() => serverVersion(sequelize)),
    probe: () => probe(sequelize, settings),
    createDatabase: () => createDatabase(settings),
    /** Close the context first. */
    removeUnusedFile: () => removeUnusedFile(settings),
    serverProblems: () => read(() => serverProblems(sequelize, settings)),
  };
}

export type Schema = ReturnType<typeof schemaOf>;

/**
 * Creates the context. It opens connections and reads or creates secrets on first use.
 * @throws AppError `CONFIG_INVALID`
 */
export async function createContext(config: Config, logger: Logger, options: ContextOptions = {}): Promise<Context> {
  const now = options.now ?? (() => new Date());
  const freedSeats = new FreedSeats();
  const database = openDatabase(config.database, undefined, (courseIds) => freedSeats.add(courseIds));
  const storage = openStorage(config.files.storage);
  const images = options.images ?? createImagePreparer();
  const hasher = options.hasher ?? (await createPasswordHasher());
  let tokens: Promise<Tokens> | undefined;
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    if (!options.hasher) await hasher.close();
    images.close();
    await storage.close();
    await database.close();
  };
  return {
    config,
    logger,
    database,
    freedSeats,
    hasher,
    storage,
    images,
    get tokens() {
      tokens ??= import('./credentials/tokens.js').then(({ createTokens }) => createTokens(config));
      return tokens;
    },
    // The column has 100 characters.
    osUser: options.osUser?.slice(0, 100) ?? null,
    now,
    async databaseNow(transaction) {
      const time = await database.read(() => databaseNow(database.sequelize, transaction));
      return new Date(time.getTime() + (options.databaseAheadMs?.() ?? 0));
    },
    schema: schemaOf(database),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
