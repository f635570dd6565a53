import type { Model, ModelStatic } from 'sequelize';
import { bothOf } from '../db/both-of.js';
import { type Listed, type Order, type Part, rowsOf, type Window } from '../db/page.js';
import type { Paging, PagingWithKey, Sorting } from '../schemas/listing.js';
import type { Core } from './core.js';
import { searchBounds, sortingBounds } from './search-size.js';

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
export const maxCounted = 10_000;

/** The rows of a listing, by the indexes that have them. */
export interface Parts<M extends Model> {
  /** Together all of them, the largest first; one may be in several. */
  parts: readonly Part<M>[];
  /** What the entries of the indexes count, unless one has more than the bound. */
  entries: number | undefined;
  /** Some of the rows, and how many entries the index has of them at least: where more than are counted, they may decide. */
  some: { where: Part<M>['where']; entries: number } | undefined;
  /** How many rows there are at least. */
  rows: number;
  /**
   * Whether all entries are read to count the rows, because conditions leave few of them, or because they are few: then the page
   * is found with the number, up to the bound of several words.
   */
  inOnePass?: boolean;
  /** All rows, for rows that are read in the order of a page: the ids of what they refer to are collected first. */
  collected?: Part<M>['where'];
}

/**
 * Finds the indexes that have the rows of a listing.
 * @param few the bound, up to which they are few
 * @param sortedBy the entries of an index in the order of this attribute don't count
 */
export type FindParts<M extends Model> = (few: number, sortedBy?: string) => Promise<Parts<M>>;

/** The same rows under other conditions, or rows that belong to them. */
export function partsOf<M extends Model, N extends Model>(
  { parts, some, collected, ...found }: Parts<M>,
  and: (where: Part<M>['where']) => Part<N>['where'],
): Parts<N> {
  return {
    ...found,
    parts: parts.map((part) => ({ ...part, where: and(part.where) })),
    some: some && { ...some, where: and(some.where) },
    rows: 0,
    ...(collected && { collected: and(collected) }),
  };
}

/** Finds them: see {@link partsOf}. */
export const partsWith =
  <M extends Model, N extends Model>(
    findParts: FindParts<M>,
    and: (where: Part<M>['where']) => Part<N>['where'],
  ): FindParts<N> =>
  async (few, sortedBy) =>
    partsOf(await findParts(few, sortedBy), and);

interface Listing<M extends Model> extends Omit<Listed<M>, 'parts'> {
  /** At most so many rows are counted, or those up to the end of the page: for listings of everything. All by default. */
  maxCounted?: number;
  /** Of searches by words, and of courses by seats: finds the page and the number of rows by indexes where they are few. */
  findParts?: FindParts<M> | undefined;
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

/** The rows of a listing, as they are counted and as pages of them are read. */
interface Reading<M extends Model> {
  /** @returns at most `most` */
  count(most?: number): Promise<number>;
  page(window: Window): Promise<M[]>;
}

/** How the rows of a listing are found by indexes. */
interface ByParts<M extends Model> {
  findParts: FindParts<M>;
  /** So many are counted, with the page among them, if not all are. */
  most: number | undefined;
}

/**
 * The rows that indexes have: few are looked up and sorted; a page of many is found soon in its order, unless they come late in
 * it.
 */
async function rowsByParts<M extends Model>(
  model: ModelStatic<M>,
  { findParts, most: atMost, ...listed }: Pick<Listing<M>, 'where' | 'order' | 'include'> & ByParts<M>,
): Promise<Reading<M>> {
  const [by] = listed.order[0] ?? [];
  const sortedBy = typeof by === 'string' ? by : undefined;
  const bounds = sortingBounds(sortedBy);
  const found = await findParts(bounds.counted, sortedBy);
  const { parts, some, entries = Number.POSITIVE_INFINITY, rows, collected } = found;
  const bound = found.inOnePass ? bounds.sortedOfSeveral : bounds.sorted;
  const byParts = rowsOf(model, { ...listed, parts });
  const isOnePass = found.inOnePass && entries <= bound && atMost !== undefined;
  let counted: Promise<string[]> | undefined;
  /** The first ids in the order of the page: as many as are counted, so that their number is that of the rows. */
  const countedIds = isOnePass ? () => (counted ??= byParts.firstIds(atMost)) : undefined;
  const inOrder = rowsOf(model, listed);
  const amongFirst = (window: Window) =>
    collected && entries <= searchBounds.collectedAccounts
      ? rowsOf(model, { ...listed, where: collected }).pageAmongFirst(window, searchBounds.readOfCollected)
      : inOrder.pageAmongFirst(window, searchBounds.readInOrder);
  return {
    async count(most) {
      if (countedIds) return (await countedIds()).length;
      if (most !== undefined && rows >= most) return most;
      if (most === undefined || some === undefined || some.entries < most) return byParts.count(most);
      const count = await rowsOf(model, { where: some.where, order: [] }).count(most);
      return count === most ? count : byParts.count(most);
    },
    async page(window) {
      const { limit, offset, after } = window;
      if (countedIds && after === undefined) return inOrder.withIds((await countedIds()).slice(offset, offset + limit));
      if (entries <= bound) return byParts.page(window);
      const amongThese = await amongFirst(window);
      if (amongThese) return amongThese;
      const { sortedAfterwards } = searchBounds;
      const many = await findParts(sortedAfterwards, sortedBy);
      const isBounded = many.entries !== undefined && many.entries <= sortedAfterwards;
      return (isBounded ? rowsOf(model, { ...listed, parts: many.parts }) : inOrder).page(window);
    },
  };
}

/** Counts the rows and reads one page, with two queries. */
export async function pageOf<M extends Model>(
  core: Core,
  model: ModelStatic<M>,
  paging: PagingWithKey,
  { ifNone, maxCounted: most, findParts, ...listed }: Listing<M>,
): Promise<Page<M>> {
  const { page, limit, afterId } = paging;
  // To the end of the page at least, so that clients that read pages until the last one come to the end.
  const bound = most === undefined ? Number.POSITIVE_INFINITY : Math.max(most, page * limit);
  const counted = most === undefined ? undefined : bound + 1;
  const isBeyondCounted = most !== undefined && page * limit > most;
  const rows = findParts
    ? await core.database.read(() =>
        rowsByParts(model, { ...listed, findParts, most: isBeyondCounted ? undefined : counted }),
      )
    : rowsOf(model, listed);
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
    } else if (ifNone && !findParts) {
      total = await count();
      if (total > 0) items = await read(limit);
    } else [total, items] = await bothOf(core.database, count, () => read(limit));
    if (total === 0 && ifNone) await ifNone();
    return { items: items.slice(0, limit), pagination: paginationOf(paging, total, bound) };
  });
}
