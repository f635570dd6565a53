import type { Model, ModelStatic } from 'sequelize';
import { readInParallel } from '../db/read-in-parallel.js';
import { type ListingPart, type Order, type PageWindow, type RowQueryOptions, rowQuery } from '../db/sql/page.js';
import type { Paging, PagingWithKey, Sorting } from '../schemas/listing.js';
import type { Core } from './core.js';

export interface Page<T> {
  items: T[];
  pagination: Pagination;
}

export interface Pagination {
  currentPage: number;
  totalPages: number;
  /** With `totalItemsCapped`, there are more items than this. */
  totalItems: number;
  itemsPerPage: number;
  /** Set if counting stopped early. Then `totalPages` is the number of known pages: at least one more than the current page. */
  totalItemsCapped?: true;
}

/** Maximum number of counted rows in listings of all rows. */
export const maxCounted = 10_000;

/** Limits of searches by words, for accounts and for enrollments of accounts. */
export const searchBounds = {
  /** Maximum number of counted entries of a word in each index. Up to this number, all accounts are read to find a page. */
  counted: 20_000,
  /** Maximum number of counted entries of a word if enrollments are searched. */
  countedOfEnrollments: 4000,
  /** With more entries, a page is first searched among this number of first rows in its order. */
  firstRows: 20_000,
};

/** Parts of a listing that indexes can find. */
export interface IndexedParts<M extends Model> {
  /** Parts that together contain all rows, the largest first. They may overlap. */
  parts: readonly ListingPart<M>[];
  /**
   * Whether all rows are read, for the page and the count together. Otherwise the page is first searched in its order.
   */
  areFew: boolean;
}

/** Adds conditions to parts, or converts parts of accounts to parts of rows that refer to the accounts. */
export const narrowParts = <M extends Model, N extends Model>(
  { parts, areFew }: IndexedParts<M>,
  and: (where: ListingPart<M>['where']) => ListingPart<N>['where'],
): IndexedParts<N> => ({ parts: parts.map((part) => ({ ...part, where: and(part.where) })), areFew });

interface Listing<M extends Model> extends Omit<RowQueryOptions<M>, 'parts'> {
  /** Maximum number of counted rows, if they reach the end of the page. All rows by default. */
  maxCounted?: number;
  /** Parts by indexes that the database wouldn't choose by itself. */
  parts?: IndexedParts<M> | undefined;
  /**
   * Runs if there are no rows, instead of the query for the page. With this function, the two queries run one after the
   * other.
   */
  ifNone?: (() => Promise<void>) | false;
}

/** Columns for fields that aren't sorted by their values: texts in dictionary order, and places on waiting lists. */
const sortColumns = new Map([
  ['lastName', 'lastNameKey'],
  ['firstName', 'firstNameKey'],
  ['title', 'titleKey'],
  ['category', 'categoryKey'],
  ['waitingPlace', 'waitingNumber'],
]);

/** Returns the requested order. Ties are broken by id, so that no row is repeated or skipped between pages. */
export function orderOf({ sortBy, sortOrder }: Sorting<string>): Order {
  const order: Order = [[sortColumns.get(sortBy) ?? sortBy, sortOrder]];
  // Emails are unique, so there are no ties. With a second column, the database wouldn't use the order of the index.
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

interface ListingRows<M extends Model> {
  /** @returns at most `most` */
  count(most?: number): Promise<number>;
  page(window: PageWindow): Promise<M[]>;
}

/** Counts and reads rows by their parts. @param most maximum number of counted rows; all by default */
function rowsByParts<M extends Model>(
  model: ModelStatic<M>,
  listed: Omit<RowQueryOptions<M>, 'parts'>,
  { parts, areFew }: IndexedParts<M>,
  most: number | undefined,
): ListingRows<M> {
  const [inOrder, byParts] = [rowQuery(model, listed), rowQuery(model, { ...listed, parts })];
  if (areFew && most !== undefined) {
    let found: Promise<string[]> | undefined;
    const firstIds = () => (found ??= byParts.firstIds(most));
    return {
      count: async () => (await firstIds()).length,
      page: async (window) => {
        const { limit, offset, after } = window;
        if (after !== undefined) return byParts.page(window);
        return inOrder.withIds((await firstIds()).slice(offset, offset + limit));
      },
    };
  }
  const isSorted = parts.every(({ sortedBy }) => sortedBy !== undefined && sortedBy === listed.order[0]?.[0]);
  const [largest] = parts;
  return {
    async count(limit) {
      if (!largest || limit === undefined) return byParts.count(limit);
      // The largest part mostly reaches the limit. In a query over all parts, databases would collect the others first.
      const count = await rowQuery(model, {
        where: largest.where,
        order: [],
        ...(largest.idsFrom && { parts: [largest] }),
      }).count(limit);
      return count === limit ? count : byParts.count(limit);
    },
    async page(window) {
      const among = areFew || isSorted ? undefined : await inOrder.pageAmongFirst(window, searchBounds.firstRows);
      return among ?? byParts.page(window);
    },
  };
}

/** Counts the rows and reads one page, with two queries. */
export async function readPage<M extends Model>(
  core: Core,
  model: ModelStatic<M>,
  paging: PagingWithKey,
  { ifNone, maxCounted: most, parts, ...listed }: Listing<M>,
): Promise<Page<M>> {
  const { page, limit, afterId } = paging;
  // Counts at least to the end of the page, so that clients that read page by page reach the end.
  const bound = most === undefined ? Number.POSITIVE_INFINITY : Math.max(most, page * limit);
  const counted = most === undefined ? undefined : bound + 1;
  const isBeyondCounted = most !== undefined && page * limit > most;
  const rows = parts
    ? rowsByParts(model, listed, parts, isBeyondCounted ? undefined : counted)
    : rowQuery(model, listed);
  const count = () => rows.count(counted);
  const read = (rowLimit: number) => rows.page({ limit: rowLimit, offset: (page - 1) * limit, after: afterId });
  return core.database.read(async () => {
    let [total, items]: [number, M[]] = [0, []];
    if (isBeyondCounted) {
      // Beyond the counted rows, the page itself shows whether there are more.
      items = await read(limit + 1);
      // At the end of a listing by `afterId`, the rows are counted: there may be fewer rows before this page by now.
      const isCounted = items.length === 0 || (afterId !== undefined && items.length <= limit);
      total = isCounted ? await count() : (page - 1) * limit + items.length;
    } else if (ifNone && !parts) {
      total = await count();
      if (total > 0) items = await read(limit);
    } else [total, items] = await readInParallel(core.database, count, () => read(limit));
    if (total === 0 && ifNone) await ifNone();
    return { items: items.slice(0, limit), pagination: paginationOf(paging, total, bound) };
  });
}
