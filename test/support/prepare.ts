import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createTemplate } from './database.js';
import { startThrowAwayServer } from './test-server.js';

/** Environment of the tests on one kind of database, and a function that removes the database. */
export interface Prepared {
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Creates the template for tests on SQLite, in the temporary folder of the run. */
export async function prepareSqlite(): Promise<Prepared> {
  return { env: { TEST_TEMPLATE: await createTemplate() }, remove: async () => undefined };
}

/** Drops the databases of killed tests on a server that keeps running. */
async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const connection = await createConnection({ uri: serverUrl });
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SHOW DATABASES LIKE ?', [`${prefix}%`]);
    for (const row of rows) await connection.query(`DROP DATABASE \`${String(Object.values(row)[0])}\``);
  } finally {
    await connection.end();
  }
}

/**
 * Creates the template for tests on MySQL/MariaDB, on the server of TEST_DATABASE_URL or on a private server.
 * @returns undefined if there is no server
 */
export async function prepareServer(): Promise<Prepared | undefined> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startThrowAwayServer() : undefined;
  const url = given ?? server?.url;
  if (url === undefined) return undefined;
  if (server) console.log(`Throw-away server: ${server.version}`);
  const prefix = `coursectl_test_${randomBytes(4).toString('hex')}_`;
  process.env.TEST_DATABASE_PREFIX = prefix;
  const template = await createTemplate(url).catch(async (error: unknown) => {
    await server?.stop();
    throw error;
  });
  return {
    env: { TEST_DATABASE_URL: url, TEST_TEMPLATE: template, TEST_DATABASE_PREFIX: prefix },
    remove: () => (server ? server.stop() : dropDatabases(url, prefix)),
  };
}
