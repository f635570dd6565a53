import type { Value } from './plain-select.js';

/** A column, or SQL in the place of one, by which rows are ordered. */
export interface Ordered {
  column: string;
  hasNull: boolean;
  direction: 'ASC' | 'DESC';
}

/** The SQL of a value in a query. */
type Literal = (value: Value) => string;

/** That rows come after one with these values. All supported databases sort NULL first. */
export function afterSql(ordered: readonly Ordered[], values: readonly Value[], literal: Literal): string {
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
export const beforeSql = (ordered: readonly Ordered[], values: readonly Value[], literal: Literal): string =>
  afterSql(
    ordered.map((by) => ({ ...by, direction: reversed[by.direction] })),
    values,
    literal,
  );

/** After ORDER BY. */
export const orderBySql = (ordered: readonly Ordered[]): string =>
  ordered.map(({ column, direction }) => `${column} ${direction}`).join(', ');
