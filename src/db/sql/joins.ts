import type { IncludeOptions, Model, ModelStatic } from 'sequelize';
import { whereSql } from './conditions.js';
import { type Column, columnsOf, readAttributes } from './rows.js';
import type { DriverValue } from './select.js';

/** Rows of a model in a query, with those of associations, past Sequelize: see page.ts. */

/** A row of an association that is read with a row: as Sequelize's `include`, which may be given the same. */
export type JoinedAssociation = Pick<IncludeOptions, 'on' | 'where'> & {
  model: ModelStatic<Model>;
  as: string;
  attributes: string[];
  include?: JoinedAssociation[];
};

/** A model in a query: the columns of it that are read, and what is joined with it. */
interface QueriedModel {
  model: ModelStatic<Model>;
  columns: readonly Column[];
  /** Where its columns begin in a row. */
  from: number;
  joined: readonly { as: string; part: QueriedModel }[];
}

/** What is read in a query, and from where. */
export interface SelectClause {
  columns: string[];
  joins: string[];
}

/** The column of an attribute. */
export const fieldOf = (model: ModelStatic<Model>, attribute: string) =>
  model.getAttributes()[attribute]?.field ?? attribute;

/** Joins an association to the row above it. */
function joinSql(
  parent: ModelStatic<Model>,
  above: string,
  { model, as, on, where }: JoinedAssociation,
  alias: string,
): string {
  const key = fieldOf(parent, parent.associations[as]?.foreignKey ?? '');
  const isIts = on ? whereSql(model, on, alias) : `${alias}.\`id\` = ${above}.\`${key}\``;
  const conditions = where ? `${isIts} AND ${whereSql(model, where, alias)}` : isIts;
  return `LEFT JOIN \`${model.tableName}\` AS ${alias} ON ${conditions}`;
}

/**
 * Adds a model to a query, with what is joined with it.
 * @param name of its table in the query
 * @param attributes that are read; the first is null in no row
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
    // What the listed rows refer to has the name of the association, by which conditions speak of it.
    const joinedName = from === 0 ? one.as : `${name}_${one.as}`;
    selected.joins.push(joinSql(model, alias, one, `\`${joinedName}\``));
    return { as: one.as, part: selectModel(selected, one.model, joinedName, one.attributes, one.include) };
  });
  return { model, columns, from, joined };
}

const buildOptions = { isNewRecord: false, raw: true };

/** An instance of a model. Null where an association has no row: its first attribute is never null. */
export function instanceOf({ model, columns, from, joined }: QueriedModel, row: readonly DriverValue[]): Model | null {
  if (row[from] === null) return null;
  // The columns of the attributes are all there, with values of their types.
  const instance = model.build(readAttributes(columns, row, from) as never, buildOptions);
  for (const { as, part } of joined) Object.assign(instance, { [as]: instanceOf(part, row) });
  return instance;
}

/** The attributes of a row and of its joined rows, without instances. Null where an association has no row. */
export function recordOf({ columns, from, joined }: QueriedModel, row: readonly DriverValue[]): object | null {
  if (row[from] === null) return null;
  const record = readAttributes(columns, row, from);
  for (const { as, part } of joined) record[as] = recordOf(part, row);
  return record;
}
