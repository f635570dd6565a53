import type { IncludeOptions, Model, ModelStatic } from 'sequelize';
import { whereSql } from './conditions.js';
import { type Column, columnsOf, readAttributes } from './rows.js';
import type { DriverValue } from './select.js';

/** Reads rows of a model and its associations without Sequelize: see page.ts. */

/** An association that is read with a row; the same form as Sequelize's `include`. */
export type JoinedAssociation = Pick<IncludeOptions, 'on' | 'where'> & {
  model: ModelStatic<Model>;
  as: string;
  attributes: string[];
  include?: JoinedAssociation[];
};

/** A model in a query, with its read columns and joined associations. */
interface QueriedModel {
  model: ModelStatic<Model>;
  columns: readonly Column[];
  /** Index of the model's first column in a row. */
  from: number;
  joined: readonly { as: string; associated: QueriedModel }[];
}

export interface SelectClause {
  columns: string[];
  joins: string[];
}

export const fieldOf = (model: ModelStatic<Model>, attribute: string) =>
  model.getAttributes()[attribute]?.field ?? attribute;

/** Returns the SQL that joins an association to its parent row. */
function joinSql(
  parent: ModelStatic<Model>,
  parentAlias: string,
  { model, as, on, where }: JoinedAssociation,
  alias: string,
): string {
  const key = fieldOf(parent, parent.associations[as]?.foreignKey ?? '');
  const isAssociated = on ? whereSql(model, on, alias) : `${alias}.\`id\` = ${parentAlias}.\`${key}\``;
  const conditions = where ? `${isAssociated} AND ${whereSql(model, where, alias)}` : isAssociated;
  return `LEFT JOIN \`${model.tableName}\` AS ${alias} ON ${conditions}`;
}

/**
 * Adds a model and its associations to a query.
 * @param name of the table in the query
 * @param attributes attributes to read; the first is never null
 */
export function selectModel(
  selected: SelectClause,
  model: ModelStatic<Model>,
  name: string,
  attributes: readonly string[],
  include: readonly JoinedAssociation[] = [],
): QueriedModel {
  const from = selected.columns.length;
  const alias = `\`${name}\``;
  const columns = columnsOf(model.getAttributes(), attributes);
  for (const { field } of columns) selected.columns.push(`${alias}.\`${field}\` AS c${selected.columns.length}`);
  const joined = include.map((one) => {
    // Direct associations keep their names, which conditions use.
    const joinedName = from === 0 ? one.as : `${name}_${one.as}`;
    selected.joins.push(joinSql(model, alias, one, `\`${joinedName}\``));
    return { as: one.as, associated: selectModel(selected, one.model, joinedName, one.attributes, one.include) };
  });
  return { model, columns, from, joined };
}

const buildOptions = { isNewRecord: false, raw: true };

/** Returns an instance of a model; null if the association has no row: its first attribute is then null. */
export function instanceOf({ model, columns, from, joined }: QueriedModel, row: readonly DriverValue[]): Model | null {
  if (row[from] === null) return null;
  // All attributes have columns with values of their types.
  const instance = model.build(readAttributes(columns, row, from) as never, buildOptions);
  for (const { as, associated } of joined) Object.assign(instance, { [as]: instanceOf(associated, row) });
  return instance;
}

/** Returns the attributes of a row and its joined rows as plain objects; null if the association has no row. */
export function recordOf({ columns, from, joined }: QueriedModel, row: readonly DriverValue[]): object | null {
  if (row[from] === null) return null;
  const record = readAttributes(columns, row, from);
  for (const { as, associated } of joined) record[as] = recordOf(associated, row);
  return record;
}
