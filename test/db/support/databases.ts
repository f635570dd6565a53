import { loadConfig } from '../../../src/config/config.js';
import { type Database, openDatabase } from '../../../src/db/connection.js';
import type { ConnectionLimits } from '../../../src/db/mysql/connections.js';
import { createEmptyDatabase, createMigratedDatabase, type TestDatabase } from '../../support/database.js';

/** Connections to the database of a test. They are closed after the test. */
export interface Databases {
  /** Value for DATABASE_URL. */
  readonly url: string;
  /** Opens another connection to the same database, like another program. */
  open(settings?: Record<string, string>, limits?: ConnectionLimits): Database;
}

/** Gives each test of the enclosing `describe` a separate database: empty, or with all migrations. */
export function useDatabases({
  migrated = true,
  create = migrated ? createMigratedDatabase : createEmptyDatabase,
}: {
  migrated?: boolean;
  create?: () => Promise<TestDatabase>;
} = {}): Databases {
  let database: TestDatabase;
  let opened: Database[] = [];
  const databases = {
    get url() {
      return database.url;
    },
    open(settings: Record<string, string> = {}, limits: ConnectionLimits = {}) {
      const env = { DATABASE_URL: database.url, ...settings };
      const connection = openDatabase(loadConfig({ env, cwd: '/' }).database, limits);
      opened.push(connection);
      return connection;
    },
  };

  beforeEach(async () => {
    database = await create();
  });

  afterEach(async () => {
    await Promise.all(opened.map((connection) => connection.close()));
    opened = [];
    await database.drop();
  });

  return databases;
}

/** Returns the names of all tables except SQLite's own. */
export async function tablesOf({ sequelize }: Database): Promise<string[]> {
  const tables = (await sequelize.getQueryInterface().showAllTables()) as unknown[];
  const names = tables.map((table) => String((table as { tableName?: string }).tableName ?? table));
  return names.filter((name) => !name.startsWith('sqlite_')).sort();
}
