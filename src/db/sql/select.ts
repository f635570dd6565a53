import type { Sequelize, Transaction } from 'sequelize';
import { escape as quoted } from 'sql-escaper';
import { isSqlite } from '../dialect.js';
import { connectionOf, internalsOf } from '../sequelize/internals.js';

/**
 * Runs queries without Sequelize, whose work for a query takes longer than the query. Used for the queries of every
 * request, and to read the accounts of an imported file. Statements are not prepared, because that takes another round
 * trip on each new connection.
 */

/** Value of a column as the driver returns it. SQLite has neither booleans nor dates. */
export type DriverValue = string | number | Date | null;

type Callback = (error: Error | null, rows?: unknown) => void;

/** Used parts of the drivers' connections. */
interface Connection {
  query(statement: object, callback: Callback): void;
  all(sql: string, values: readonly (string | null)[], callback: Callback): void;
}

/** Conversion of columns by the driver for MySQL, instead of Sequelize's. */
type TypeCast = (field: { string(): string | null }, next: () => unknown) => unknown;

/** A statement. If it has values, the SQL contains a `?` for each of them and nowhere else. */
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
    // Both drivers return a list of rows for a SELECT.
    if (isSqlite(sequelize))
      return connection.all(sql, values, (error, rows) =>
        settle(error, (rows as Record<string, DriverValue>[] | undefined)?.map(Object.values)),
      );
    let next = 0;
    // A statement without values may contain question marks.
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
  // Connections of the pool have the limits and deadlines of this program.
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
 * @param transaction of the query; omitted outside of transactions
 * @returns the rows as lists of values
 * @throws the driver's own errors; run it within `Database.read` or `inTransaction`, which translate them
 */
export const runSelect = (
  sequelize: Sequelize,
  sql: string,
  { values = [], transaction }: { values?: readonly (string | null)[]; transaction?: Transaction | undefined } = {},
): Promise<DriverValue[][]> => runStatement(sequelize, { sql, values, typeCast: driverDefault }, transaction);

const rawText: TypeCast = (field) => field.string();

/**
 * Reads a single text, outside of transactions. Queries pack many values into a JSON text, because the server describes
 * each column in a separate packet. The column must not have the type JSON: the driver prints a warning.
 * @param sql with `?` for each value, and nowhere else
 * @returns the value of the first row; undefined without a row
 * @throws the driver's own errors; run it within `Database.read`, which translates them
 */
export async function selectFirstText(
  sequelize: Sequelize,
  sql: string,
  values: readonly string[],
): Promise<string | undefined> {
  const [row] = await runStatement(sequelize, { sql, values, typeCast: rawText });
  // The statement has a single text column.
  return row && String(row[0]);
}
