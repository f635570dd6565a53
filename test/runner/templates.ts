import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createTemplate } from '../support/database.js';
import { startThrowAwayServer } from '../support/test-server.js';

/** What the tests on one database get, and how to remove it. */
export interface Prepared {
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** Why the tests on a database can't run. */
export type Unprepared = 'left out' | 'required';

/** Makes the migrated database that SQLite tests copy. */
export async function prepareSqlite(): Promise<Prepared | Unprepared> {
  const url = await createTemplate();
  // It lies in the temporary folder of the run, which goes as a whole.
  return { env: { TEST_TEMPLATE: url }, remove: async () => undefined };
}

/** Drops what tests that were killed have left on a server that goes on. */
async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const connection = await createConnection({ uri: serverUrl });
  try {
    const [rows] = await connection.query<RowDataPacket[]>('SHOW DATABASES LIKE ?', [`${prefix}%`]);
    for (const row of rows) await connection.query(`DROP DATABASE \`${String(Object.values(row)[0])}\``);
  } finally {
    await connection.end();
  }
}

function sayLeftOut(required: boolean): void {
  const line = '!'.repeat(100);
  console.error(
    `\n${line}\n!! NOT TESTED ON MySQL/MariaDB: no TEST_DATABASE_URL, and no mariadbd or mysqld on the PATH.`,
  );
  const more = required ? ' REQUIRE_MYSQL=1 makes this a failure.' : '';
  console.error(`!! Install one (Debian: apt-get install mariadb-server).${more}\n${line}`);
}

/** Starts a private server unless one is given, and makes the migrated database that tests copy. */
export async function prepareMysql(): Promise<Prepared | Unprepared> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined ? await startThrowAwayServer() : undefined;
  const url = given ?? server?.url;
  if (url === undefined) {
    const required = process.env.REQUIRE_MYSQL === '1';
    sayLeftOut(required);
    return required ? 'required' : 'left out';
  }
  if (server) console.log(`Throw-away server: ${server.version}`);
  const prefix = `coursectl_test_${randomBytes(4).toString('hex')}_`;
  process.env.TEST_DATABASE_PREFIX = prefix;
  const template = await createTemplate(url).catch(async (error: unknown) => {
    await server?.stop();
    throw error;
  });
  return {
    env: { TEST_DATABASE_URL: url, TEST_TEMPLATE: template, TEST_DATABASE_PREFIX: prefix },
    async remove() {
      if (server) await server.stop();
      else await dropDatabases(url, prefix);
    },
  };
}
