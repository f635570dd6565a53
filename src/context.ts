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
  seedDemo,
} from './db/migrator.js';
import type { Logger } from './logger.js';
import { createPasswordHasher, type PasswordHasher } from './services/auth/passwords.js';
import { createTokens, type Tokens } from './services/auth/tokens.js';
import type { Core } from './services/core.js';
import { createImagePreparer } from './storage/images.js';
import { openStorage } from './storage/open-storage.js';

/** The database as commands use it, without reaching into `db`. */
export interface Schema {
  status(): Promise<MigrationStatus>;
  /** @returns the names of the migrations applied */
  up(waiting?: MigrationWait): Promise<string[]>;
  down(steps: number | 'all', waiting?: MigrationWait): Promise<string[]>;
  seedDemo(waiting?: MigrationWait): Promise<void>;
  /** @throws AppError `SCHEMA_OUTDATED`, or one that says why the database can't be used */
  assertCurrent(): Promise<void>;
  /** @throws AppError `SCHEMA_OUTDATED` when a newer program has changed it */
  assertNotNewer(): Promise<void>;
  serverVersion(): Promise<string>;
  /** Settings of the server that will hurt, each with what to do. */
  serverProblems(): Promise<ServerProblem[]>;
  clockSkewMs(): Promise<number>;
}

/** The assembled program: close it when done. */
export interface Context extends Core {
  schema: Schema;
  close(): Promise<void>;
}

/** What tests put in the place of the real thing. */
export interface ContextOptions {
  now?: () => Date;
  hasher?: PasswordHasher;
}

function schemaOf(database: Database, now: () => Date): Schema {
  return {
    status: () => migrationStatus(database),
    up: (waiting) => migrateUp(database, waiting),
    down: (steps, waiting) => migrateDown(database, steps, waiting),
    seedDemo: (waiting) => seedDemo(database, waiting),
    assertCurrent: () => assertSchemaCurrent(database),
    assertNotNewer: () => assertSchemaNotNewer(database),
    serverVersion: () => database.read(() => serverVersion(database.sequelize)),
    serverProblems: () => database.read(() => serverProblems(database.sequelize, database.settings)),
    clockSkewMs: () => database.read(() => clockSkewMs(database.sequelize, now)),
  };
}

/**
 * Puts the parts together. Nothing is connected, and no secret is read or made, until it is needed.
 * @throws AppError `CONFIG_INVALID`
 */
export async function createContext(config: Config, logger: Logger, options: ContextOptions = {}): Promise<Context> {
  const now = options.now ?? (() => new Date());
  const database = openDatabase(config.database);
  const storage = openStorage(config.files.storage);
  const images = createImagePreparer();
  const hasher = options.hasher ?? (await createPasswordHasher());
  let tokens: Tokens | undefined;
  return {
    config,
    logger,
    database,
    hasher,
    storage,
    images,
    // Commands that sign nobody in make no secret.
    get tokens() {
      tokens ??= createTokens(config);
      return tokens;
    },
    now,
    schema: schemaOf(database, now),
    async close() {
      if (!options.hasher) await hasher.close();
      await images.close();
      await storage.close();
      await database.close();
    },
  };
}
