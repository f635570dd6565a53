import type { Attributes, Model, ModelAttributeColumnOptions, ModelStatic, Transaction } from 'sequelize';
import { isSqlite, sqlLiteral } from '../dialect.js';
import { type DriverValue, runSelect } from './select.js';

type Converter = (value: DriverValue) => DriverValue | boolean;

/** Conversions from a column to a model's attribute, by the model's type. */
const converters: Readonly<Record<string, Converter>> = {
  BOOLEAN: Boolean,
  DATE: (value) => (typeof value === 'string' ? new Date(value) : value),
  // The driver for MySQL returns a date as midnight in UTC.
  DATEONLY: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : value),
};

export interface Column {
  attribute: string;
  field: string;
  convert: Converter | undefined;
}

/** Returns the columns of these attributes; of all attributes by default. */
export function columnsOf(
  attributes: Record<string, ModelAttributeColumnOptions>,
  wanted: readonly string[] = Object.keys(attributes),
): Column[] {
  return wanted.flatMap((attribute) => {
    const definition = attributes[attribute];
    if (!definition) return [];
    const { field = attribute, type } = definition;
    // Sequelize's types also allow a string here.
    return [{ attribute, field, convert: converters[(type as { key: string }).key] }];
  });
}

/**
 * Returns the attributes of a row.
 * @param from index of the first column in the row
 */
export function readAttributes(
  columns: readonly Column[],
  values: readonly DriverValue[],
  from = 0,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [index, { attribute, convert }] of columns.entries()) {
    const value = values[from + index] ?? null;
    attributes[attribute] = convert && value !== null ? convert(value) : value;
  }
  return attributes;
}

interface RowSelection<M extends Model> {
  /** Attribute with an index. */
  by: keyof Attributes<M> & string;
  among: readonly string[];
  /** Transaction that reads the rows and locks them in the order of their ids. */
  lockedBy?: Transaction;
}

/**
 * Reads attributes of many rows. Several times as fast as Sequelize's findAll, because it builds no model instances.
 * @throws the driver's own errors; run it within `Database.read` or `inTransaction`, which translate them
 */
export async function selectRows<M extends Model, A extends keyof Attributes<M> & string>(
  model: ModelStatic<M>,
  attributes: readonly A[],
  { by, among, lockedBy }: RowSelection<M>,
): Promise<Pick<Attributes<M>, A>[]> {
  const { sequelize } = model;
  if (!sequelize || among.length === 0) return [];
  const definitions = model.getAttributes();
  const columns = columnsOf(definitions, attributes);
  const literals = among.map(sqlLiteral(sequelize)).join(',');
  const lock = lockedBy ? ` ORDER BY \`id\`${isSqlite(sequelize) ? '' : ' FOR UPDATE'}` : '';
  const list = columns.map(({ field }) => `\`${field}\``).join(', ');
  const sql = `SELECT ${list} FROM \`${model.tableName}\` WHERE \`${definitions[by].field ?? by}\` IN (${literals})${lock}`;
  const rows = await runSelect(sequelize, sql, { transaction: lockedBy });
  // All these attributes have columns with values of their types.
  return rows.map((values) => readAttributes(columns, values) as Pick<Attributes<M>, A>);
}
