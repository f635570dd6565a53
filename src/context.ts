import type { Config } from './config/config.js';
import { type Database, openDatabase } from './db/connection.js';
import { clockSkewMs, type ServerProblem, serverProblems, serverVersion } from './db/dialect.js';
import {
  assertSchemaCurrent,
  assertSchemaNotNewer,
  type MigrationStatus,
  type MigrationWait,
  migrateDown,
  migrateUp,
  migrationStatus,
} from './db/migrator.js';
import { createDatabase, type Probe, probe } from './db/probe.js';
import { removeUnusedFile } from './db/sqlite-removal.js';
import { assertWritable } from './db/write-access.js';
import type { Logger } from './logger.js';
import { createPasswordHasher, type PasswordHasher } from './services/auth/passwords.js';
import { createTokens, type Tokens } from './services/auth/tokens.js';
import type { Core } from './services/core.js';
import { createImagePreparer, type ImagePreparer } from './storage/images.js';
import { openStorage } from './storage/open-storage.js';

/** The operations of the database that commands use, so that they need not import `db`. */
export interface Schema {
  status(): Promise<MigrationStatus>;
  /** @returns the names of the applied migrations */
  up(waiting?: MigrationWait): Promise<string[]>;
  down(steps: number | 'all', waiting?: MigrationWait): Promise<string[]>;
  /** @throws AppError `SCHEMA_OUTDATED`, or the reason why the database can't be used */
  assertCurrent(): Promise<void>;
  /** @throws AppError `SCHEMA_OUTDATED` when a newer program has changed it */
  assertNotNewer(): Promise<void>;
  /**
   * Checks that a migrated database accepts changes, and makes none.
   * @throws AppError `DATABASE_NOT_WRITABLE`, `OVERLOADED` while another process writes, or the reason why it can't be used
   */
  assertWritable(): Promise<void>;
  serverVersion(): Promise<string>;
  /** Whether the configured database can be used, and what hinders it. */
  probe(): Promise<Probe>;
  /** Creates the configured database on its server. @throws AppError `DATABASE_ACCESS_DENIED`, and as any query */
  createDatabase(): Promise<void>;
  /**
   * Deletes the file of an SQLite database, if it has no accounts and nobody else has it open. Close the context before.
   * @returns whether it was deleted
   */
  removeUnusedFile(): Promise<boolean>;
  /** Settings of the server that will cause failures, with their remedies. */
  serverProblems(): Promise<ServerProblem[]>;
  clockSkewMs(): Promise<number>;
}

/** The assembled program: close it when done. */
export interface Context extends Core {
  schema: Schema;
  /** Calling it again has no effect. */
  close(): Promise<void>;
}

/** Replacements for tests, and who uses the terminal. */
export interface ContextOptions {
  /** See {@link Core}. */
  osUser?: string | undefined;
  /** Replaced by tests, as is the hasher, which they close themselves. */
  now?: () => Date;
  hasher?: PasswordHasher;
  /** Closed with the context. */
  images?: ImagePreparer;
}

function schemaOf(database: Database, now: () => Date): Schema {
  return {
    status: () => migrationStatus(database),
    up: (waiting) => migrateUp(database, waiting),
    down: (steps, waiting) => migrateDown(database, steps, waiting),
    assertCurrent: () => assertSchemaCurrent(database),
    assertNotNewer: () => assertSchemaNotNewer(database),
    assertWritable: () => assertWritable(database),
    serverVersion: () => database.read(() => serverVersion(database.sequelize)),
    probe: () => probe(database.sequelize, database.settings),
    createDatabase: () => createDatabase(database.settings),
    removeUnusedFile: () => removeUnusedFile(database.settings),
    serverProblems: () => database.read(() => serverProblems(database.sequelize, database.settings)),
    clockSkewMs: () => database.read(() => clockSkewMs(database.sequelize, now)),
  };
}

/**
 * Creates the context. Connections are opened, and secrets read or created, on first use.
 * @throws AppError `CONFIG_INVALID`
 */
export async function createContext(config: Config, logger: Logger, options: ContextOptions = {}): Promise<Context> {
  const now = options.now ?? (() => new Date());
  const database = openDatabase(config.database);
  const storage = openStorage(config.files.storage);
  const images = options.images ?? createImagePreparer();
  const hasher = options.hasher ?? (await createPasswordHasher());
  let tokens: Tokens | undefined;
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
    hasher,
    storage,
    images,
    // Created on first use: most commands need no signing secret.
    get tokens() {
      tokens ??= createTokens(config);
      return tokens;
    },
    // As long as its column.
    osUser: options.osUser?.slice(0, 100) ?? null,
    now,
    schema: schemaOf(database, now),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
