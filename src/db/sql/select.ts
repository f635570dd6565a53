import type { Sequelize, Transaction } from 'sequelize';
import { escape as quoted } from 'sql-escaper';
import { isSqlite } from '../dialect.js';
import { connectionOf, internalsOf } from '../sequelize/internals.js';

/**
 * Queries past Sequelize, for the few that run with every request or read an account for each row of a file: it writes the
 * text of a query, builds its rows and checks its options each time, which takes longer than the query. They are not
 * prepared: on a fresh connection that takes another round trip, and a database that is far away or slow has many fresh
 * connections.
 */

/** A value of a column as the driver returns it: SQLite knows neither booleans nor dates. */
export type DriverValue = string | number | Date | null;

type Callback = (error: Error | null, rows?: unknown) => void;

/** The drivers' connections, as far as they are used here. */
interface Connection {
  query(statement: object, callback: Callback): void;
  all(sql: string, values: readonly (string | null)[], callback: Callback): void;
}

/** How the driver for MySQL makes values of columns: in the place of Sequelize's conversions. */
type TypeCast = (field: { string(): string | null }, next: () => unknown) => unknown;

/** A statement: where it has values, with `?` for each of them and nowhere else. */
interface Statement {
  sql: string;
  values: readonly (string | null)[];
  typeCast: TypeCast;
}

function sendQuery(
  sequelize: Sequelize,
  connection: Connection,
  { sql, values, typeCast }: Statement,
): Promise<DriverValue[][]> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, rows?: DriverValue[][]) => (error ? reject(error) : resolve(rows ?? []));
    // Both drivers give lists of rows for a SELECT.
    if (isSqlite(sequelize))
      return connection.all(sql, values, (error, rows) =>
        settle(error, (rows as Record<string, DriverValue>[] | undefined)?.map(Object.values)),
      );
    let next = 0;
    // Without values the statement is written out, and what it holds may have question marks.
    const text = values.length === 0 ? sql : sql.replaceAll('?', () => quoted(values[next++] ?? null));
    connection.query({ sql: text, typeCast, rowsAsArray: true }, (error, rows) =>
      settle(error, rows as DriverValue[][] | undefined),
    );
  });
}

async function runStatement(
  sequelize: Sequelize,
  statement: Statement,
  transaction?: Transaction,
): Promise<DriverValue[][]> {
  const internals = internalsOf<Connection>(sequelize);
  if (internals.options.logging)
    internals.log(`Executing (${transaction ? 'transaction' : 'default'}): ${statement.sql};`);
  if (transaction) return sendQuery(sequelize, connectionOf(transaction), statement);
  // They have the limits and deadlines of this program.
  const { connectionManager } = internals;
  const connection = await connectionManager.getConnection({ type: 'SELECT' });
  try {
    return await sendQuery(sequelize, connection, statement);
  } finally {
    connectionManager.releaseConnection(connection);
  }
}

const driverDefault: TypeCast = (_field, next) => next();

/**
 * Runs a SELECT.
 * @param sql with `?` for each value, and nowhere else if there are values
 * @param transaction in which it runs; outside of any when absent
 * @returns its rows as lists of values
 * @throws the driver's own errors; run it within `Database.read` or `inTransaction`, which translate them
 */
export const runSelect = (
  sequelize: Sequelize,
  sql: string,
  { values = [], transaction }: { values?: readonly (string | null)[]; transaction?: Transaction | undefined } = {},
): Promise<DriverValue[][]> => runStatement(sequelize, { sql, values, typeCast: driverDefault }, transaction);

/** A value as the server sends it. */
const rawText: TypeCast = (field) => field.string();

/**
 * Runs a SELECT of one column of text (not of the type JSON, which the driver warns of) outside of transactions. A column costs
 * more than what stands in it: the server describes each in a packet of its own, so a row of many values is asked for as one
 * array of JSON.
 * @param sql with `?` for each value, and nowhere else
 * @returns the value of the first row; nothing where there is no row
 * @throws the driver's own errors; run it within `Database.read`, which translates them
 */
export async function selectText(
  sequelize: Sequelize,
  sql: string,
  values: readonly string[],
): Promise<string | undefined> {
  const [row] = await runStatement(sequelize, { sql, values, typeCast: rawText });
  // There is one column of text.
  return row && String(row[0]);
}
