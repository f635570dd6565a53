import type { Attributes, Model, ModelStatic, WhereOptions } from 'sequelize';
import { bothOf } from '../db/both-of.js';
import { type Listed, type Order, rowsOf } from '../db/page.js';
import type { Paging, Sorting } from '../schemas/listing.js';
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

/** Rows that are counted of a listing whose count is bounded. */
export const mostCounted = 10_000;

interface Listing<M extends Model> extends Listed<M> {
  /** The same rows, by a condition with which they are counted sooner. */
  countedWhere?: WhereOptions<Attributes<M>>;
  /** Whether at most {@link mostCounted} rows are counted, or those up to the end of the page: for listings of everything. */
  boundedCount?: boolean;
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
  return [
    [sortKeys.get(sortBy) ?? sortBy, sortOrder],
    ['id', sortOrder],
  ];
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

/** Counts the rows and reads one page, with two queries. */
export async function pageOf<M extends Model>(
  core: Core,
  model: ModelStatic<M>,
  paging: Paging,
  { ifNone, boundedCount = false, countedWhere, ...listed }: Listing<M>,
): Promise<Page<M>> {
  const { page, limit } = paging;
  // To the end of the page at least, so that clients that read pages until the last one come to the end.
  const bound = boundedCount ? Math.max(mostCounted, page * limit) : Number.POSITIVE_INFINITY;
  const rows = rowsOf(model, listed);
  const counted = countedWhere === undefined ? rows : rowsOf(model, { ...listed, where: countedWhere });
  const count = () => (boundedCount ? counted.count(bound + 1) : counted.count());
  const read = () => rows.page({ limit, offset: (page - 1) * limit });
  return core.database.read(async () => {
    let [total, items]: [number, M[]] = [0, []];
    if (ifNone) {
      total = await count();
      if (total === 0) await ifNone();
      else items = await read();
    } else [total, items] = await bothOf(core.database, count, read);
    return { items, pagination: paginationOf(paging, total, bound) };
  });
}
