import { format } from 'mysql2';
import type { Sequelize, Transaction } from 'sequelize';
import { isSqlite } from './dialect.js';

/**
 * Queries past Sequelize, for the few that run with every request or read an account for each row of a file: it writes the
 * text of a query, builds its rows and checks its options each time, which takes longer than the query. They are not prepared: on a fresh connection that takes another
 * round trip, and a database that is far away or slow has many fresh connections.
 */

/** A value of a statement, and of a column as the driver returns it: SQLite knows neither booleans nor dates. */
export type Value = string | number | Date | null;

type Callback = (error: Error | null, rows?: unknown) => void;

/** The drivers' connections, as far as they are used here. */
interface Connection {
  query(statement: object, callback: Callback): void;
  all(sql: string, values: readonly Value[], callback: Callback): void;
}

/** What Sequelize's types don't declare: its connections, which have the limits and deadlines of this program, and its log. */
interface Undeclared {
  connectionManager: {
    getConnection(options: { type: 'SELECT' }): Promise<Connection>;
    releaseConnection(connection: Connection): void;
  };
  log(text: string): void;
}

/** The driver's own conversions, in the place of Sequelize's. */
const typeCast = (_field: unknown, next: () => unknown): unknown => next();

/** A transaction has a connection, which Sequelize's types don't declare. */
type WithConnection = Transaction & { connection: Connection };

function rowsOf(
  sequelize: Sequelize,
  connection: Connection,
  sql: string,
  values: readonly string[],
): Promise<readonly (readonly Value[])[]> {
  return new Promise((resolve, reject) => {
    const settle: Callback = (error, rows) => {
      if (error) reject(error);
      // Both drivers give lists of rows for a SELECT.
      else resolve(rows as Value[][]);
    };
    if (isSqlite(sequelize))
      connection.all(sql, values, (error, rows) => settle(error, (rows as object[] | undefined)?.map(Object.values)));
    else connection.query({ sql: format(sql, [...values]), typeCast, rowsAsArray: true }, settle);
  });
}

/**
 * Runs a SELECT.
 * @param sql with `?` for each value
 * @param transaction in which it runs; outside of any when absent
 * @returns its rows as lists of values
 * @throws the driver's own errors; run it within `Database.read` or `inTransaction`, which translate them
 */
export async function plainSelect(
  sequelize: Sequelize,
  sql: string,
  values: readonly string[],
  transaction?: Transaction,
): Promise<readonly (readonly Value[])[]> {
  // Its types leave out what is used here: see there.
  const undeclared = sequelize as unknown as Undeclared;
  undeclared.log(`Executing (${transaction ? 'transaction' : 'default'}): ${sql};`);
  if (transaction) return rowsOf(sequelize, (transaction as WithConnection).connection, sql, values);
  const { connectionManager } = undeclared;
  const connection = await connectionManager.getConnection({ type: 'SELECT' });
  try {
    return await rowsOf(sequelize, connection, sql, values);
  } finally {
    connectionManager.releaseConnection(connection);
  }
}
