import type { WhereOptions } from 'sequelize';
import type { Paging } from '../schemas/fields.js';
import type { Core } from './core.js';

/** One page of a listing, with the figures that clients page by. */
export interface Page<T> {
  items: T[];
  pagination: { currentPage: number; totalPages: number; totalItems: number; itemsPerPage: number };
}

/** Counts and reads one page: two queries, whatever its size. */
export async function pageOf<T, Where extends WhereOptions>(
  core: Core,
  { page, limit }: Paging,
  where: Where,
  query: {
    count(where: Where): Promise<number>;
    rows(where: Where, window: { limit: number; offset: number }): Promise<T[]>;
  },
): Promise<Page<T>> {
  const [totalItems, items] = await core.database.read(() =>
    Promise.all([query.count(where), query.rows(where, { limit, offset: (page - 1) * limit })]),
  );
  return {
    items,
    pagination: { currentPage: page, totalPages: Math.ceil(totalItems / limit), totalItems, itemsPerPage: limit },
  };
}
