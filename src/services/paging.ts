import type { Attributes, Model, ModelStatic, WhereOptions } from 'sequelize';
import { bothOf } from '../db/both-of.js';
import { type Listed, type Order, rowsOf } from '../db/page.js';
import type { Paging, PagingWithKey, Sorting } from '../schemas/listing.js';
import type { Core } from './core.js';

/** One page of a listing, with the numbers for paging. */
export interface Page<T> {
  items: T[];
  pagination: Pagination;
}

/** Where a page is in its listing. */
export interface Pagination {
  currentPage: number;
  totalPages: number;
  /** How many rows there are; with `totalItemsCapped` there are more. */
  totalItems: number;
  itemsPerPage: number;
  /** Set where counting stopped. Then `totalPages` are those that are known: at least one more than the current page. */
  totalItemsCapped?: true;
}

/** Rows that are counted of listings of everything. */
export const mostCounted = 10_000;

interface Listing<M extends Model> extends Listed<M> {
  /** At most so many rows are counted, or those up to the end of the page: for listings of everything. All by default. */
  mostCounted?: number;
  /**
   * Conditions by which rows are counted sooner than by `where`, up to the bound: all but the last have some of the rows, and
   * decide where these are more than the bound; the last has all.
   */
  counted?: readonly WhereOptions<Attributes<M>>[];
  /** Runs instead of the second query when there are no rows; then the two queries don't run concurrently. */
  ifNone?: (() => Promise<void>) | false;
}

/** The stored keys of the texts that are sorted as in a dictionary. */
const sortKeys = new Map([
  ['lastName', 'lastNameKey'],
  ['firstName', 'firstNameKey'],
  ['title', 'titleKey'],
  ['category', 'categoryKey'],
]);

/** The requested order; ties are broken by id, so that no row is repeated or skipped between pages. */
export function orderOf({ sortBy, sortOrder }: Sorting<string>): Order {
  const order: Order = [[sortKeys.get(sortBy) ?? sortBy, sortOrder]];
  // Emails are unique: there are no ties, and with another column the database wouldn't read them in the order of their index.
  return sortBy === 'email' ? order : [...order, ['id', sortOrder]];
}

/** @param counted at most one more than `bound` */
function paginationOf({ page, limit }: Paging, counted: number, bound: number): Pagination {
  const isCapped = counted > bound;
  return {
    currentPage: page,
    totalPages: Math.ceil(counted / limit),
    totalItems: isCapped ? bound : counted,
    itemsPerPage: limit,
    ...(isCapped && { totalItemsCapped: true }),
  };
}

/** How many rows match the last of the conditions, or some other one before, up to a bound. @returns at most `most` */
async function countedUpTo<M extends Model>(
  model: ModelStatic<M>,
  conditions: readonly WhereOptions<Attributes<M>>[],
  most: number,
): Promise<number> {
  let count = 0;
  for (const where of conditions) {
    count = await rowsOf(model, { where, order: [] }).count(most);
    if (count === most) break;
  }
  return count;
}

/** Counts the rows and reads one page, with two queries. */
export async function pageOf<M extends Model>(
  core: Core,
  model: ModelStatic<M>,
  paging: PagingWithKey,
  { ifNone, mostCounted: most, counted, ...listed }: Listing<M>,
): Promise<Page<M>> {
  const { page, limit, afterId } = paging;
  // To the end of the page at least, so that clients that read pages until the last one come to the end.
  const bound = most === undefined ? Number.POSITIVE_INFINITY : Math.max(most, page * limit);
  const rows = rowsOf(model, listed);
  const count = () => (most === undefined ? rows.count() : countedUpTo(model, counted ?? [listed.where], bound + 1));
  const read = (rowLimit: number) => rows.page({ limit: rowLimit, offset: (page - 1) * limit, after: afterId });
  return core.database.read(async () => {
    let [total, items]: [number, M[]] = [0, []];
    if (page * limit > (most ?? Number.POSITIVE_INFINITY)) {
      // Beyond the rows that are counted: the page itself shows whether there are more.
      items = await read(limit + 1);
      // At the end of pages that were asked for by their items, those before are counted: they may be fewer by now.
      const isCounted = items.length === 0 || (afterId !== undefined && items.length <= limit);
      total = isCounted ? await count() : (page - 1) * limit + items.length;
    } else if (ifNone) {
      total = await count();
      if (total > 0) items = await read(limit);
    } else [total, items] = await bothOf(core.database, count, () => read(limit));
    if (total === 0 && ifNone) await ifNone();
    return { items: items.slice(0, limit), pagination: paginationOf(paging, total, bound) };
  });
}
