import { format } from 'mysql2';
import type { ModelAttributeColumnOptions, Sequelize } from 'sequelize';
import { isSqlite } from './dialect.js';

/**
 * Queries past Sequelize, for the few that run with every request: it writes the text of a query, builds its rows and checks
 * its options each time, which takes longer than the query. They are not prepared: on a fresh connection that takes another
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

/**
 * Runs a SELECT outside of transactions.
 * @param sql with `?` for each value
 * @returns its rows as lists of values
 * @throws the driver's own errors; run it within `Database.read`, which translates them
 */
export async function plainSelect(
  sequelize: Sequelize,
  sql: string,
  values: readonly Value[],
): Promise<readonly (readonly Value[])[]> {
  // Its types leave out what is used here: see there.
  const undeclared = sequelize as unknown as Undeclared;
  const { connectionManager } = undeclared;
  const connection = await connectionManager.getConnection({ type: 'SELECT' });
  undeclared.log(`Executing (default): ${sql};`);
  try {
    return await new Promise((resolve, reject) => {
      const settle: Callback = (error, rows) => {
        if (error) reject(error);
        // Both drivers give lists of rows for a SELECT.
        else resolve(rows as Value[][]);
      };
      if (isSqlite(sequelize))
        connection.all(sql, values, (error, rows) => settle(error, (rows as object[] | undefined)?.map(Object.values)));
      else connection.query({ sql: format(sql, [...values]), typeCast, rowsAsArray: true }, settle);
    });
  } finally {
    connectionManager.releaseConnection(connection);
  }
}

/** How a column becomes the attribute of a model, by the type that the model declares. */
const converters: Readonly<Record<string, (value: Value) => Value | boolean>> = {
  BOOLEAN: Boolean,
  DATE: (value) => (typeof value === 'string' ? new Date(value) : value),
};

/** A column of a {@link plainSelect}, for an attribute of a model. */
export interface Column {
  attribute: string;
  field: string;
  convert: ((value: Value) => Value | boolean) | undefined;
}

/** The columns of a model, or of some of its attributes. @param attributes as `Model.getAttributes()` gives them */
export const columnsOf = (
  attributes: Record<string, ModelAttributeColumnOptions>,
  wanted?: readonly string[],
): Column[] =>
  Object.entries(attributes)
    .filter(([attribute]) => wanted?.includes(attribute) ?? true)
    .map(([attribute, { field = attribute, type }]) => ({
      ...{ attribute, field },
      // Sequelize's types leave open that a type can be a text.
      convert: converters[(type as { key: string }).key],
    }));

/** The attributes of a model in a row. @param from where the columns begin */
export function attributesOf(
  columns: readonly Column[],
  values: readonly Value[],
  from: number,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [index, { attribute, convert }] of columns.entries()) {
    const value = values[from + index] ?? null;
    attributes[attribute] = convert && value !== null ? convert(value) : value;
  }
  return attributes;
}
