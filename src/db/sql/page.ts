import { type Attributes, type Model, type ModelStatic, Utils, type WhereOptions } from 'sequelize';
import { sqlLiteral } from '../dialect.js';
import { whereSql } from './conditions.js';
import { fieldOf, instanceOf, type JoinedAssociation, recordOf, type SelectClause, selectModel } from './joins.js';
import { type DriverValue, runSelect } from './select.js';

/**
 * Pages of rows without Sequelize's `findAll` and `count`. Building their SQL took two fifths of the processor time of
 * a page.
 */

/** Order of rows, by attributes or SQL. */
export type Order = [by: string | Utils.Literal, direction: 'ASC' | 'DESC'][];

/** Subset of a listing's rows that the database finds by an index. Subsets may overlap. */
export interface ListingPart<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** Attribute by which the index sorts the rows. */
  sortedBy?: Order[number][0] | undefined;
  /** Another table with the ids of the rows, which is read first. Its index sorts by id. */
  idsFrom?: IdTable | undefined;
}

/** Table with ids of other rows. */
export interface IdTable {
  /** SQL name of the table. */
  table: string;
  /** SQL name of the column with the ids. */
  column: string;
  /** SQL condition of the table's rows. */
  where: string;
}

export interface RowQueryOptions<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** Subsets that together make up the rows of `where`. Pages and counts are then computed from each subset. */
  parts?: readonly ListingPart<M>[] | undefined;
  /** Must be a total order. */
  order: Order;
  include?: readonly JoinedAssociation[] | undefined;
}

/** Range of rows in a listing. */
export interface PageWindow {
  limit: number;
  offset: number;
  /** If a row with this id exists, the page begins after it, and `offset` is ignored. */
  after?: string | undefined;
}

/** Query for the rows of a listing. Run it within `Database.read`, which translates database errors. */
export interface RowQuery<M extends Model> {
  /** Counts rows, up to `most`. An exact count may scan all rows. */
  count(most?: number): Promise<number>;
  /** Returns the ids of the first rows, in order. */
  firstIds(limit: number): Promise<string[]>;
  /** Returns the rows with these ids, in order. */
  withIds(ids: readonly string[]): Promise<M[]>;
  /** Returns attributes (`id` first) of the matching rows with these ids, in order. Faster than instances. */
  records(ids: readonly string[], attributes: readonly string[]): Promise<Attributes<M>[]>;
  /** Returns a page of rows, in order. */
  page(window: PageWindow): Promise<M[]>;
  /** Returns the page if all its rows are among the first `most` rows of the table in this order; otherwise undefined. */
  pageAmongFirst(window: PageWindow, most: number): Promise<M[] | undefined>;
}

/** Column or SQL expression by which rows are ordered. */
interface OrderColumn {
  column: string;
  hasNull: boolean;
  direction: 'ASC' | 'DESC';
}

type LiteralOf = (value: DriverValue) => string;

/** Returns SQL for rows after the row with these values. All supported databases sort NULL first. */
function afterSql(ordered: readonly OrderColumn[], values: readonly DriverValue[], literal: LiteralOf): string {
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
        : // Omitted for columns without NULL: otherwise SQLite uses no index.
          `${column} < ${literal(value)}${hasNull ? ` OR ${column} IS NULL` : ''}`;
  return `(${isAfter} OR (${isEqual} AND ${afterSql(others, rest, literal)}))`;
}

const reversed = { ASC: 'DESC', DESC: 'ASC' } as const;

/** Returns SQL for rows before the row with these values. */
const beforeSql = (ordered: readonly OrderColumn[], values: readonly DriverValue[], literal: LiteralOf): string =>
  afterSql(
    ordered.map((by) => ({ ...by, direction: reversed[by.direction] })),
    values,
    literal,
  );

const orderBySql = (ordered: readonly OrderColumn[]): string =>
  ordered.map(({ column, direction }) => `${column} ${direction}`).join(', ');

const none = async () => [];
const emptyQuery = {
  count: async () => 0,
  firstIds: none,
  withIds: none,
  records: none,
  page: none,
  pageAmongFirst: none,
};

const and = (...conditions: readonly (string | undefined)[]): string =>
  conditions.flatMap((condition) => (condition ? [`(${condition})`] : [])).join(' AND ');

/** Parts of a query for ids. Columns and limit are added later. */
interface IdQuery {
  /** SQL that follows the column names. */
  from: string;
  orderBy: string;
}

/**
 * Returns a query for the rows of a model. Reads nothing yet.
 * @throws Error if the model belongs to no database
 */
export function rowQuery<M extends Model>(
  model: ModelStatic<M>,
  { where, order, include, parts }: RowQueryOptions<M>,
): RowQuery<M> {
  const { sequelize } = model;
  if (!sequelize) throw new Error(`The model ${model.name} belongs to no database.`);
  const alias = `\`${model.name}\``;
  const condition = whereSql(model, where, alias);
  const table = `FROM \`${model.tableName}\` AS ${alias}`;
  const matching = (...conditions: readonly (string | undefined)[]): string => {
    const all = and(...conditions);
    return all === '' ? table : `${table} WHERE ${all}`;
  };
  const ordered = order.map(([by, direction]): OrderColumn => {
    if (by instanceof Utils.Literal) return { column: String(by.val), direction, hasNull: true };
    const hasNull = model.getAttributes()[by]?.allowNull !== false;
    return { column: `${alias}.\`${fieldOf(model, by)}\``, direction, hasNull };
  });
  const orderSql = orderBySql(ordered);
  const orderColumns = ordered.map(({ column }, index) => `${column} AS c${index}`).join(', ');
  const literal = sqlLiteral(sequelize);
  if (parts?.length === 0) return emptyQuery;
  const partsSql = parts?.map((part) => ({ ...part, condition: whereSql(model, part.where, alias) }));
  /** Returns SQL for the ids of a subset. @param needsRow whether other columns of the rows are read, too */
  const idsOfPart = (
    { condition: ofPart, idsFrom }: NonNullable<typeof partsSql>[number],
    needsRow: boolean,
    isAfter?: string,
  ): { id: string; from: string } => {
    const id = `${alias}.\`id\``;
    if (!idsFrom) return { id, from: matching(ofPart, isAfter) };
    const { table: ids, column, where: isListed } = idsFrom;
    if (!needsRow && and(ofPart, isAfter) === '') return { id: column, from: `FROM ${ids} WHERE ${isListed}` };
    // With CROSS JOIN, SQLite reads the tables in this order.
    const joined = `${ids} CROSS JOIN \`${model.tableName}\` AS ${alias} WHERE ${id} = ${column}`;
    return { id: column, from: `FROM ${joined} AND ${and(isListed, ofPart, isAfter)}` };
  };

  /** Returns SQL for rows after the row with an id; undefined if there is no such row. */
  const afterRow = async (id: string | undefined): Promise<string | undefined> => {
    if (id === undefined) return undefined;
    // Searched only among matching rows: the position of another row would reveal that the row exists.
    const sql = `SELECT ${orderColumns} ${matching(condition, `${alias}.\`id\` = ${literal(id)}`)}`;
    const [row] = await runSelect(sequelize, sql);
    return row && afterSql(ordered, row, literal);
  };

  /** Returns a query for the distinct ids of the first rows of each subset, with their sort values. */
  const idsOfParts = (found: NonNullable<typeof partsSql>, isAfter: string | undefined, most: number): IdQuery => {
    const [first, ...others] = ordered;
    const selects = found.map((part, index) => {
      const isById = part.idsFrom !== undefined && order.length === 1 && order[0]?.[0] === 'id';
      const isSorted = first === undefined || part.sortedBy === order[0]?.[0];
      const { id, from } = idsOfPart(part, !isById, isAfter);
      // COALESCE rules out another index, in which the rows of this subset could come last.
      const by = isSorted ? ordered : [{ ...first, column: `COALESCE(${first.column}, NULL)` }, ...others];
      const [columns, orderOfIds] = isById
        ? [`${id} AS c0`, orderBySql(by.map((column) => ({ ...column, column: id })))]
        : [orderColumns, orderBySql(by)];
      const rows = `${from} ORDER BY ${orderOfIds} LIMIT ${most}`;
      // A derived table, because SQLite allows no LIMIT in a part of a UNION.
      return `SELECT * FROM (SELECT ${id} AS id, ${columns} ${rows}) AS part${index}`;
    });
    const orderBy = orderBySql(ordered.map((by, index) => ({ ...by, column: `c${index}` })));
    return { from: `FROM (${selects.join(' UNION ')}) AS found`, orderBy };
  };

  /** Returns a query for the ids of the first rows, or of the first after another row. */
  const firstIds = (isAfter: string | undefined, most: number): IdQuery =>
    partsSql ? idsOfParts(partsSql, isAfter, most) : { from: matching(condition, isAfter), orderBy: orderSql };

  const isOneOf = (ids: readonly string[]) => `${alias}.\`id\` IN (${ids.map(literal).join(', ')})`;

  const selectSql = ({ columns, joins }: SelectClause, where: string) =>
    `SELECT ${columns.join(', ')} ${table} ${joins.join(' ')} WHERE ${where} ORDER BY ${orderSql}`;

  const read = async ({ limit, offset }: PageWindow, { from, orderBy }: IdQuery): Promise<M[]> => {
    const selected: SelectClause = { columns: [], joins: [] };
    const part = selectModel(selected, model, model.name, Object.keys(model.getAttributes()), include);
    // A deferred join: the ids of the page come from an index alone, and only the rows of the page are read and joined.
    // Otherwise every matching row is read and sorted. A derived table, because MySQL supports no LIMIT in a subquery
    // of IN. A second derived table repeats the limit: for a distant page, MariaDB otherwise expects as many ids as
    // were skipped, and reads all rows.
    const ids = `SELECT id ${from} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
    const few = `SELECT id FROM (${ids}) AS passed LIMIT ${limit}`;
    const isOnPage = `${alias}.\`id\` IN (SELECT id FROM (${few}) AS page)`;
    const rows = await runSelect(sequelize, selectSql(selected, isOnPage));
    // The instance belongs to this model, and listed rows always have an id.
    return rows.map((row) => instanceOf(part, row) as M);
  };

  /** Returns SQL for the distinct ids of all rows, or of a limited number. Subsets may overlap. */
  const anyIds = (found: NonNullable<typeof partsSql>, limit: string): string => {
    const selects = found.map((part, index) => {
      const { id, from } = idsOfPart(part, false);
      return `SELECT id FROM (SELECT ${id} AS id ${from}${limit}) AS part${index}`;
    });
    return `SELECT id FROM (${selects.join(' UNION ')}) AS found${limit}`;
  };

  return {
    async count(most) {
      const limit = most === undefined ? '' : ` LIMIT ${most}`;
      // Selects as little as possible, because MariaDB and MySQL write the selected values to a temporary table.
      const rows = partsSql ? anyIds(partsSql, limit) : `SELECT 1 ${matching(condition)}${limit}`;
      const from = partsSql || most !== undefined ? `FROM (${rows}) AS counted` : matching(condition);
      const [row] = await runSelect(sequelize, `SELECT COUNT(*) AS total ${from}`);
      return Number(row?.[0]);
    },
    async firstIds(most) {
      const { from, orderBy } = firstIds(undefined, most);
      const found = await runSelect(sequelize, `SELECT id ${from} ORDER BY ${orderBy} LIMIT ${most}`);
      return found.map(([id]) => String(id));
    },
    async withIds(ids) {
      if (ids.length === 0) return [];
      return read({ limit: ids.length, offset: 0 }, { from: matching(isOneOf(ids)), orderBy: orderSql });
    },
    async records(ids, attributes) {
      if (ids.length === 0) return [];
      const selected: SelectClause = { columns: [], joins: [] };
      const part = selectModel(selected, model, model.name, attributes, include);
      const rows = await runSelect(sequelize, selectSql(selected, and(condition, isOneOf(ids))));
      // The type includes attributes that were not read, as with Sequelize's `attributes`.
      return rows.map((row) => recordOf(part, row) as Attributes<M>);
    },
    async page(window) {
      const isAfter = await afterRow(window.after);
      const passed = { ...window, offset: isAfter === undefined ? window.offset : 0 };
      return read(passed, firstIds(isAfter, passed.offset + passed.limit));
    },
    async pageAmongFirst({ limit, offset, after }, most) {
      const isAfter = await afterRow(after);
      const [next] = await runSelect(
        sequelize,
        `SELECT ${orderColumns} ${matching(isAfter)} ORDER BY ${orderSql} LIMIT 1 OFFSET ${most}`,
      );
      const from = matching(condition, isAfter, next && beforeSql(ordered, next, literal));
      const found = await read({ limit, offset: isAfter === undefined ? offset : 0 }, { from, orderBy: orderSql });
      return !next || found.length === limit ? found : undefined;
    },
  };
}
