import { copyFileSync, writeFileSync } from 'node:fs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/db/connection.js';
import { migrateUp } from '../../src/db/migrations/migrator.js';
import { temporaryFolder } from './temporary-folder.js';

/**
 * Test files that import this file, directly or indirectly, run separately for each kind of database. All others run
 * only one time.
 */

/** A database of this run's kind: a file for SQLite, a new database on the server for MySQL. */
export interface TestDatabase {
  /** Value for DATABASE_URL. */
  url: string;
  drop(): Promise<void>;
}

export const onMysql = Boolean(process.env.TEST_DATABASE_URL);

/** Runs statements on the MySQL/MariaDB server of this run, outside of the program's databases. */
export function runOnServer(...statements: string[]): Promise<void> {
  return runStatements(serverUrl(), statements);
}

export function serverUrl(database = ''): string {
  return withDatabase(process.env.TEST_DATABASE_URL ?? '', database);
}

function withDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

async function runStatements(server: string, statements: readonly string[]): Promise<void> {
  const connection = await createConnection({ uri: server, multipleStatements: false });
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

/** Returns a name for a database. `test/run.ts` chooses the prefix, and drops the databases of killed tests. */
export function databaseName(): string {
  const prefix = process.env.TEST_DATABASE_PREFIX ?? 'coursectl_test_';
  return `${prefix}${uuidv7().replaceAll('-', '')}`;
}

/** @param server of MySQL or MariaDB; omitted for SQLite */
async function createEmpty(server: string | undefined): Promise<TestDatabase> {
  if (server === undefined) {
    const folder = temporaryFolder();
    // The file exists before it has tables, like a database on a server.
    writeFileSync(`${folder.path}/test.sqlite`, '');
    return { url: `sqlite:${folder.path}/test.sqlite`, drop: async () => folder.remove() };
  }
  const name = databaseName();
  await runStatements(withDatabase(server, ''), [`CREATE DATABASE ${name}`]);
  return { url: withDatabase(server, name), drop: () => runStatements(server, [`DROP DATABASE ${name}`]) };
}

export function createEmptyDatabase(): Promise<TestDatabase> {
  return createEmpty(process.env.TEST_DATABASE_URL);
}

/**
 * Creates a migrated database as a template.
 * @param server of MySQL or MariaDB; omitted for SQLite
 * @returns the URL
 */
export async function createTemplate(server?: string): Promise<string> {
  const { url } = await createEmpty(server);
  const database = openDatabase(loadConfig({ env: { DATABASE_URL: url }, cwd: '/' }).database);
  try {
    await migrateUp(database);
  } finally {
    await database.close();
  }
  return url;
}

let template: Promise<string> | undefined;

/** Returns the template of the whole run. A file that runs alone creates its own. */
function templateUrl(): Promise<string> {
  const shared = process.env.TEST_TEMPLATE;
  template ??= shared === undefined ? createTemplate(process.env.TEST_DATABASE_URL) : Promise.resolve(shared);
  return template;
}

let copyStatements: Promise<string> | undefined;

/** Returns the SQL that creates the template's tables and rows in a connection's current database. */
async function readTemplate(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const connection = await createConnection({ uri: url });
  try {
    const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
    const statements = ['SET FOREIGN_KEY_CHECKS = 0'];
    for (const row of tables) {
      const table = String(Object.values(row)[0]);
      const [[shown]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE \`${table}\``);
      statements.push(String(shown?.['Create Table']));
      const [[counted]] = await connection.query<RowDataPacket[]>(`SELECT COUNT(*) AS count FROM \`${table}\``);
      // Generated columns can't be copied, but tables with generated columns have no rows in a template.
      if (Number(counted?.count) > 0) statements.push(`INSERT INTO \`${table}\` SELECT * FROM ${name}.\`${table}\``);
    }
    return statements.join(';\n');
  } finally {
    await connection.end();
  }
}

/**
 * Applies all migrations to an empty database by copying a template, in a fraction of the time of migrating. On SQLite,
 * no other process may have the file open.
 */
export async function migrate({ url }: Pick<TestDatabase, 'url'>): Promise<void> {
  const from = await templateUrl();
  if (!onMysql) {
    copyFileSync(from.replace('sqlite:', ''), url.replace('sqlite:', ''));
    return;
  }
  copyStatements ??= readTemplate(from);
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    await connection.query(await copyStatements);
  } finally {
    await connection.end();
  }
}

export async function createMigratedDatabase(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await migrate(database);
  return database;
}
