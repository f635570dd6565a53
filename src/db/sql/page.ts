import { type Attributes, type Model, type ModelStatic, Utils, type WhereOptions } from 'sequelize';
import { sqlLiteral } from '../dialect.js';
import { whereSql } from './conditions.js';
import { fieldOf, instanceOf, type JoinedAssociation, recordOf, type SelectClause, selectModel } from './joins.js';
import { type DriverValue, runSelect } from './select.js';

/**
 * Pages of rows, past Sequelize's `findAll` and `count`: to write the text of their queries took two fifths of the service's
 * processor time for a page.
 */

/** How rows are ordered: by attributes, or by SQL. */
export type Order = [by: string | Utils.Literal, direction: 'ASC' | 'DESC'][];

/** Some of the rows of a listing, which the database finds by an index; other parts may have some of them too. */
export interface ListingPart<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** The attribute in whose order the index has them. */
  sortedBy?: Order[number][0] | undefined;
}

/** Which rows of a model are listed, and what of them. */
export interface RowQueryOptions<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** Parts that together have the rows of `where`: pages and numbers are then found in each. */
  parts?: readonly ListingPart<M>[] | undefined;
  /** A total order. */
  order: Order;
  include?: readonly JoinedAssociation[] | undefined;
}

/** Which rows of a listing are read. */
export interface PageWindow {
  limit: number;
  offset: number;
  /** After the row with this id, without regard to `offset`, if there is such a row. */
  after?: string | undefined;
}

/** The rows of a listing. To be read within `Database.read`, which translates faults of the database. */
export interface RowQuery<M extends Model> {
  /** Counts up to `most`: an exact number can take the database through all rows. */
  count(most?: number): Promise<number>;
  /** The ids of the first ones, in their order. */
  firstIds(limit: number): Promise<string[]>;
  /** Those with these ids, in their order. */
  withIds(ids: readonly string[]): Promise<M[]>;
  /** Attributes, `id` first, of matching ones with these ids, in their order: faster than instances. */
  records(ids: readonly string[], attributes: readonly string[]): Promise<Attributes<M>[]>;
  /** Some of them, in their order. */
  page(window: PageWindow): Promise<M[]>;
  /** The page, if the first `most` rows of the table in this order have all its rows. */
  pageAmongFirst(window: PageWindow, most: number): Promise<M[] | undefined>;
}

/** A column, or SQL in the place of one, by which rows are ordered. */
interface OrderColumn {
  column: string;
  hasNull: boolean;
  direction: 'ASC' | 'DESC';
}

/** The SQL of a value in a query. */
type LiteralOf = (value: DriverValue) => string;

/** That rows come after one with these values. All supported databases sort NULL first. */
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
        : // SQLite wouldn't use an index for a column that has no NULL.
          `${column} < ${literal(value)}${hasNull ? ` OR ${column} IS NULL` : ''}`;
  return `(${isAfter} OR (${isEqual} AND ${afterSql(others, rest, literal)}))`;
}

const reversed = { ASC: 'DESC', DESC: 'ASC' } as const;

/** That rows come before one with these values. */
const beforeSql = (ordered: readonly OrderColumn[], values: readonly DriverValue[], literal: LiteralOf): string =>
  afterSql(
    ordered.map((by) => ({ ...by, direction: reversed[by.direction] })),
    values,
    literal,
  );

/** After ORDER BY. */
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

/** Rows in a query, of which few are taken. */
interface IdQuery {
  /** After the names of the columns. */
  from: string;
  orderBy: string;
}

/** The rows of a model that match a condition: nothing is read yet. @throws Error when the model belongs to no database */
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

  /** That rows come after the one with an id; nothing when there is no such row. */
  const afterRow = async (id: string | undefined): Promise<string | undefined> => {
    if (id === undefined) return undefined;
    // Only among the matching rows: the position of another row would reveal that it exists.
    const sql = `SELECT ${orderColumns} ${matching(condition, `${alias}.\`id\` = ${literal(id)}`)}`;
    const [row] = await runSelect(sequelize, sql);
    return row && afterSql(ordered, row, literal);
  };

  /** The ids of the first rows of each part, each once, with what they are sorted by. */
  const idsOfParts = (found: NonNullable<typeof partsSql>, isAfter: string | undefined, most: number): IdQuery => {
    const selects = found.map((part, index) => {
      const [first, ...others] = ordered;
      const isSorted = first === undefined || part.sortedBy === order[0]?.[0];
      // Not in the order of another index, which could have the rows of this part last.
      const by = isSorted ? ordered : [{ ...first, column: `COALESCE(${first.column}, NULL)` }, ...others];
      const rows = `${matching(part.condition, isAfter)} ORDER BY ${orderBySql(by)} LIMIT ${most}`;
      // In a derived table, because SQLite knows no LIMIT in a part of UNION.
      return `SELECT * FROM (SELECT ${alias}.\`id\`, ${orderColumns} ${rows}) AS part${index}`;
    });
    const orderBy = orderBySql(ordered.map((by, index) => ({ ...by, column: `c${index}` })));
    return { from: `FROM (${selects.join(' UNION ')}) AS found`, orderBy };
  };

  /** The first rows after another one, or of all. */
  const firstIds = (isAfter: string | undefined, most: number): IdQuery =>
    partsSql ? idsOfParts(partsSql, isAfter, most) : { from: matching(condition, isAfter), orderBy: orderSql };

  const isOneOf = (ids: readonly string[]) => `${alias}.\`id\` IN (${ids.map(literal).join(', ')})`;

  const selectSql = ({ columns, joins }: SelectClause, where: string) =>
    `SELECT ${columns.join(', ')} ${table} ${joins.join(' ')} WHERE ${where} ORDER BY ${orderSql}`;

  const read = async ({ limit, offset }: PageWindow, { from, orderBy }: IdQuery): Promise<M[]> => {
    const selected: SelectClause = { columns: [], joins: [] };
    const part = selectModel(selected, model, model.name, Object.keys(model.getAttributes()), include);
    // A deferred join: the ids of the page are found from an index alone, and only their rows are read and joined; otherwise
    // every matching row would be read and sorted. As a derived table, because MySQL supports no LIMIT in a subquery of IN.
    // In another one, which says how few the ids are: MariaDB expects as many as the first one passes over, and would read
    // all rows for a page far behind.
    const ids = `SELECT id ${from} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
    const few = `SELECT id FROM (${ids}) AS passed LIMIT ${limit}`;
    const isOnPage = `${alias}.\`id\` IN (SELECT id FROM (${few}) AS page)`;
    const rows = await runSelect(sequelize, selectSql(selected, isOnPage));
    // The first part is of this model, whose rows have ids.
    return rows.map((row) => instanceOf(part, row) as M);
  };

  /** The ids of `most` rows, or all, each once: one may be in several parts. */
  const anyIds = (found: NonNullable<typeof partsSql>, limit: string): string => {
    const selects = found.map(
      (part, index) => `SELECT id FROM (SELECT ${alias}.\`id\` ${matching(part.condition)}${limit}) AS part${index}`,
    );
    return `SELECT id FROM (${selects.join(' UNION ')}) AS found${limit}`;
  };

  return {
    async count(most) {
      const limit = most === undefined ? '' : ` LIMIT ${most}`;
      // No columns: MariaDB and MySQL write the rows to a temporary table.
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
      // As with Sequelize's `attributes`, the type has all of them.
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
