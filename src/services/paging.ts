import type { Model, ModelStatic } from 'sequelize';
import { readInParallel } from '../db/read-in-parallel.js';
import { type ListingPart, type Order, type PageWindow, type RowQueryOptions, rowQuery } from '../db/sql/page.js';
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
  /** With `totalItemsCapped` there are more. */
  totalItems: number;
  itemsPerPage: number;
  /** Set where counting stopped. Then `totalPages` are those that are known: at least one more than the current page. */
  totalItemsCapped?: true;
}

/** Rows that are counted of listings of everything. */
export const maxCounted = 10_000;

/** What searches by words read: of accounts, and of enrollments by their accounts. */
export const searchBounds = {
  /** So many entries of a word are counted in each index; of up to so many, all accounts are looked at to find a page. */
  counted: 20_000,
  /** Entries counted of a word whose accounts' enrollments are looked up. */
  countedOfEnrollments: 4000,
  /** A page of more is looked for among so many rows, the first ones in its order: those that match may come late in it. */
  firstRows: 20_000,
};

/** The rows of a listing, by indexes that have them. */
export interface IndexedParts<M extends Model> {
  /** Together all of them, the largest first; one may be in several. */
  parts: readonly ListingPart<M>[];
  /** Whether all are looked at: once, for the page and the number. Otherwise the page is looked for in its order first. */
  areFew: boolean;
}

/** Parts under other conditions, or of rows that belong to them. */
export const narrowParts = <M extends Model, N extends Model>(
  { parts, areFew }: IndexedParts<M>,
  and: (where: ListingPart<M>['where']) => ListingPart<N>['where'],
): IndexedParts<N> => ({ parts: parts.map((part) => ({ ...part, where: and(part.where) })), areFew });

interface Listing<M extends Model> extends Omit<RowQueryOptions<M>, 'parts'> {
  /** At most so many rows are counted, or those up to the end of the page: for listings of everything. All by default. */
  maxCounted?: number;
  /** Indexes that have the rows: the database wouldn't choose them by itself. */
  parts?: IndexedParts<M> | undefined;
  /** Runs instead of the second query when there are no rows; then the two queries don't run concurrently. */
  ifNone?: (() => Promise<void>) | false;
}

/** The stored keys of what isn't sorted by itself: texts, as in a dictionary, and places on waiting lists. */
const sortColumns = new Map([
  ['lastName', 'lastNameKey'],
  ['firstName', 'firstNameKey'],
  ['title', 'titleKey'],
  ['category', 'categoryKey'],
  ['waitingPlace', 'waitingNumber'],
]);

/** The requested order; ties are broken by id, so that no row is repeated or skipped between pages. */
export function orderOf({ sortBy, sortOrder }: Sorting<string>): Order {
  const order: Order = [[sortColumns.get(sortBy) ?? sortBy, sortOrder]];
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

/** The rows of a listing, as they are counted and as pages of them are read. */
interface ListingRows<M extends Model> {
  /** @returns at most `most` */
  count(most?: number): Promise<number>;
  page(window: PageWindow): Promise<M[]>;
}

/** The rows of a listing that indexes have. @param most so many are counted; all by default */
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
      // It mostly has enough, and databases collect all that the others have before they stop.
      const count = await rowQuery(model, { where: largest.where, order: [] }).count(limit);
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
  // To the end of the page at least, so that clients that read pages until the last one come to the end.
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
      // Beyond the rows that are counted: the page itself shows whether there are more.
      items = await read(limit + 1);
      // At the end of pages that were asked for by their items, those before are counted: they may be fewer by now.
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
