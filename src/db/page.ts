import {
  type Attributes,
  type IncludeOptions,
  type Model,
  type ModelStatic,
  Utils,
  type WhereOptions,
} from 'sequelize';
import { sqlLiteral } from './dialect.js';
import { attributesOf, type Column, columnsOf } from './plain-rows.js';
import { plainSelect, type Value } from './plain-select.js';
import { whereSql } from './where-sql.js';

/**
 * Pages of rows, past Sequelize's `findAll` and `count`: to write the text of their queries took two fifths of the service's
 * processor time for a page.
 */

/** How rows are ordered: by attributes, or by SQL. */
export type Order = [by: string | Utils.Literal, direction: 'ASC' | 'DESC'][];

/** A row of an association that is read with a row: as Sequelize's `include`, which may be given the same. */
export type Joined = Pick<IncludeOptions, 'on' | 'where'> & {
  model: ModelStatic<Model>;
  as: string;
  attributes: string[];
  include?: Joined[];
};

/** Which rows of a model are listed, and what of them. */
export interface Listed<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** A total order. */
  order: Order;
  include?: readonly Joined[] | undefined;
}

/** The rows of a listing. To be read within `Database.read`, which translates faults of the database. */
export interface Rows<M extends Model> {
  /** How many there are, `most` at most: there the database stops counting, where it would go through all for the exact number. */
  count(most?: number): Promise<number>;
  /**
   * Some of them, in their order.
   * @param window `after`: after the row with this id, without regard to `offset`, if there is such a row
   */
  page(window: { limit: number; offset: number; after?: string | undefined }): Promise<M[]>;
}

/** A model in a query: the columns of it that are read, and what is joined with it. */
interface Part {
  model: ModelStatic<Model>;
  columns: readonly Column[];
  /** Where its columns begin in a row. */
  from: number;
  joined: readonly { as: string; part: Part }[];
}

/** What is read in a query, and from where. */
interface Selected {
  columns: string[];
  joins: string[];
}

const fieldOf = (model: ModelStatic<Model>, attribute: string) => model.getAttributes()[attribute]?.field ?? attribute;

/** That a row of an association belongs to the row above it. */
function joinSql(parent: ModelStatic<Model>, above: string, { model, as, on, where }: Joined, alias: string): string {
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
function addPart(
  selected: Selected,
  model: ModelStatic<Model>,
  name: string,
  attributes: readonly string[],
  include: readonly Joined[] = [],
): Part {
  const from = selected.columns.length;
  const alias = `\`${name}\``;
  const columns = columnsOf(model.getAttributes(), attributes);
  for (const { field } of columns) selected.columns.push(`${alias}.\`${field}\` AS c${selected.columns.length}`);
  const joined = include.map((one) => {
    // What the listed rows refer to has the name of the association, by which conditions speak of it.
    const joinedName = from === 0 ? one.as : `${name}_${one.as}`;
    selected.joins.push(joinSql(model, alias, one, `\`${joinedName}\``));
    return { as: one.as, part: addPart(selected, one.model, joinedName, one.attributes, one.include) };
  });
  return { model, columns, from, joined };
}

const ofTheDatabase = { isNewRecord: false, raw: true };

/** An instance of a model. Null where an association has no row: its first attribute is never null. */
function instanceOf({ model, columns, from, joined }: Part, row: readonly Value[]): Model | null {
  if (row[from] === null) return null;
  // The columns of the attributes are all there, with values of their types.
  const instance = model.build(attributesOf(columns, row, from) as never, ofTheDatabase);
  for (const { as, part } of joined) Object.assign(instance, { [as]: instanceOf(part, row) });
  return instance;
}

/** A column, or SQL in the place of one, by which rows are ordered. */
interface Ordered {
  column: string;
  hasNull: boolean;
  direction: 'ASC' | 'DESC';
}

/** That rows come after one with these values. All supported databases sort NULL first. */
function afterSql(ordered: readonly Ordered[], values: readonly Value[], literal: (value: Value) => string): string {
  const [first, ...others] = ordered;
  if (!first) return '1 = 0';
  const { column, direction, hasNull } = first;
  const [value = null, ...rest] = values;
  const isEqual = value === null ? `${column} IS NULL` : `${column} = ${literal(value)}`;
  const isAfter =
    value === null
      ? direction === 'ASC'
        ? `${column} IS NOT NULL`
        : '1 = 0'
      : direction === 'ASC'
        ? `${column} > ${literal(value)}`
        : // SQLite wouldn't use an index for a column that has no NULL.
          `${column} < ${literal(value)}${hasNull ? ` OR ${column} IS NULL` : ''}`;
  return `(${isAfter} OR (${isEqual} AND ${afterSql(others, rest, literal)}))`;
}

/** What Sequelize's types don't declare. */
interface Undeclared {
  /** Hooks of models add to what was read. */
  runHooks(name: 'afterFind', found: readonly Model[], options: object): Promise<void>;
}

/** The rows of a model that match a condition: nothing is read yet. @throws Error when the model belongs to no database */
export function rowsOf<M extends Model>(model: ModelStatic<M>, { where, order, include }: Listed<M>): Rows<M> {
  const { sequelize } = model;
  if (!sequelize) throw new Error(`The model ${model.name} belongs to no database.`);
  const alias = `\`${model.name}\``;
  const condition = whereSql(model, where, alias);
  const table = `FROM \`${model.tableName}\` AS ${alias}`;
  const matching = condition === '' ? table : `${table} WHERE ${condition}`;
  const ordered = order.map(([by, direction]): Ordered => {
    if (by instanceof Utils.Literal) return { column: String(by.val), direction, hasNull: true };
    const hasNull = model.getAttributes()[by]?.allowNull !== false;
    return { column: `${alias}.\`${fieldOf(model, by)}\``, direction, hasNull };
  });
  const orderSql = ordered.map(({ column, direction }) => `${column} ${direction}`).join(', ');
  const literal = sqlLiteral(sequelize);
  /** That rows come after the one with an id; nothing when there is no such row. */
  const afterRow = async (id: string): Promise<string | undefined> => {
    const columns = ordered.map(({ column }, index) => `${column} AS c${index}`).join(', ');
    // Among the rows that match only: the position of another one could tell of it.
    const its = `${alias}.\`id\` = ${literal(id)}`;
    const sql = `SELECT ${columns} ${table} WHERE ${condition === '' ? '' : `(${condition}) AND `}${its}`;
    const [row] = await plainSelect(sequelize, sql);
    return row && afterSql(ordered, row, literal);
  };
  return {
    async count(most) {
      // No columns: MariaDB and MySQL write the rows to a temporary table.
      const from = most === undefined ? matching : `FROM (SELECT 1 ${matching} LIMIT ${most}) AS counted`;
      const [row] = await plainSelect(sequelize, `SELECT COUNT(*) AS total ${from}`);
      return Number(row?.[0]);
    },
    async page({ limit, offset, after }) {
      const isAfter = after === undefined ? undefined : await afterRow(after);
      const from =
        isAfter === undefined ? matching : `${table} WHERE ${condition === '' ? '' : `(${condition}) AND `}${isAfter}`;
      const passed = isAfter === undefined ? offset : 0;
      const selected: Selected = { columns: [], joins: [] };
      const part = addPart(selected, model, model.name, Object.keys(model.getAttributes()), include);
      // A deferred join: the ids of the page are found from an index alone, and only their rows are read and joined; otherwise
      // every matching row would be read and sorted. As a derived table, because MySQL supports no LIMIT in a subquery of IN.
      // In another one, which says how few the ids are: MariaDB expects as many as the first one passes over, and would read
      // all rows for a page far behind.
      const ids = `SELECT ${alias}.\`id\` ${from} ORDER BY ${orderSql} LIMIT ${limit} OFFSET ${passed}`;
      const few = `SELECT id FROM (${ids}) AS passed LIMIT ${limit}`;
      const rows = await plainSelect(
        sequelize,
        `SELECT ${selected.columns.join(', ')} ${table} ${selected.joins.join(' ')}
          WHERE ${alias}.\`id\` IN (SELECT id FROM (${few}) AS page) ORDER BY ${orderSql}`,
      );
      // The first part is of this model, whose rows have ids.
      const found = rows.map((row) => instanceOf(part, row) as M);
      // Sequelize's types don't declare how hooks are run.
      await (model as unknown as Undeclared).runHooks('afterFind', found, {});
      return found;
    },
  };
}
