import { escape as quoted } from 'mysql2';
import type { Sequelize } from 'sequelize';
import { isSqlite } from './dialect.js';

/**
 * Queries past Sequelize, for the few that run with every request: it writes the text of a query, builds its rows and checks
 * its options each time, which takes longer than the query. They are not prepared: on a fresh connection that takes another
 * round trip, and a database that is far away or slow has many fresh connections.
 */

type Callback = (error: Error | null, rows?: unknown) => void;

/** The drivers' connections, as far as they are used here. */
interface Connection {
  query(statement: object, callback: Callback): void;
  all(sql: string, values: readonly string[], callback: Callback): void;
}

/** What Sequelize's types don't declare: its connections, which have the limits and deadlines of this program, and its log. */
interface Undeclared {
  connectionManager: {
    getConnection(options: { type: 'SELECT' }): Promise<Connection>;
    releaseConnection(connection: Connection): void;
  };
  options: { logging?: unknown };
  log(text: string): void;
}

/** A value as the server sends it; also a type of JSON, which the driver would parse on some servers and not on others. */
const typeCast = (field: { string(): string | null }): string | null => field.string();

/**
 * Runs a SELECT of one column outside of transactions. A column costs more than what stands in it: the server describes each
 * in a packet of its own, so a row of many values is asked for as one array of JSON.
 * @param sql with `?` for each value, and nowhere else
 * @returns the value of the first row; nothing where there is no row
 * @throws the driver's own errors; run it within `Database.read`, which translates them
 */
export async function selectText(
  sequelize: Sequelize,
  sql: string,
  values: readonly string[],
): Promise<string | undefined> {
  // Its types leave out what is used here: see there.
  const undeclared = sequelize as unknown as Undeclared;
  const { connectionManager } = undeclared;
  const connection = await connectionManager.getConnection({ type: 'SELECT' });
  if (undeclared.options.logging) undeclared.log(`Executing (default): ${sql};`);
  try {
    return await new Promise((resolve, reject) => {
      const settle: Callback = (error, rows) => {
        if (error) return reject(error);
        // Both drivers give lists of rows for a SELECT, and there is one column of text.
        const [row] = rows as Record<string, string>[];
        resolve(row && Object.values(row)[0]);
      };
      if (isSqlite(sequelize)) return connection.all(sql, values, settle);
      let next = 0;
      const text = sql.replaceAll('?', () => quoted(values[next++] ?? null));
      connection.query({ sql: text, typeCast }, settle);
    });
  } finally {
    connectionManager.releaseConnection(connection);
  }
}
