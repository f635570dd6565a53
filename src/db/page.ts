import { type Attributes, literal, type Model, type ModelStatic, Op, type Order, type WhereOptions } from 'sequelize';
import { selectSql } from './select-sql.js';

/**
 * The condition that a row is on a page: a deferred join. The ids of the page are found from an index alone, and only
 * their rows are read and joined; otherwise every matching row would be read and sorted.
 */
export function onPage<M extends Model>(
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
  order: Order,
  window: { limit: number; offset: number },
): WhereOptions<Attributes<M>> {
  const ids = selectSql(model, { attributes: ['id'], where, order, ...window });
  // As a derived table, because MySQL supports no LIMIT in a subquery of IN. In another one, which says how few the ids are:
  // MariaDB expects as many as the first one passes over, and would read all rows for a page far behind.
  const few = `SELECT id FROM (${ids}) AS passed LIMIT ${window.limit}`;
  // The cast: every paged model has the attribute "id", but `Attributes<M>` doesn't say so.
  return { id: { [Op.in]: literal(`(SELECT id FROM (${few}) AS page)`) } } as unknown as WhereOptions<Attributes<M>>;
}
