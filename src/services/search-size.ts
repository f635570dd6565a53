import type { Attributes, Model, ModelStatic, Sequelize, WhereOptions } from 'sequelize';
import { rowsOf } from '../db/page.js';
import type { Core } from './core.js';
import { isRecent } from './recent.js';

/**
 * What a search by words reads. Measured among 2,000,000 accounts on MariaDB 10.11, in the server's processor time: an entry of
 * an index that has the order of the page and its filters takes 0.5 µs, 0.8 µs with other words to compare; a row that is looked
 * up 5 µs; the next row in the order of a page 2 µs where these rows are adjacent, else 5 to 8 µs.
 */
export const searchBounds = {
  /** Up to so many entries are sorted for a page in the order of creation, which the indexes of names have. */
  sorted: 12_000,
  /** The same of several words: how many accounts match isn't known, so all are compared, for the page and the number. */
  sortedOfSeveral: 40_000,
  /** The same for a page in another order: that of names is read from one index sooner, and for others rows are looked up. */
  sortedApart: 7000,
  /** The enrollments of up to so many accounts are looked up and sorted for a page. */
  sortedOfAccounts: 2000,
  /** Up to so many accounts are collected, to find enrollments of them in the order of a page. */
  collectedAccounts: 16_000,
  /** So many rows are read in the order of a page to find it, where more match; one piece after the other. */
  readInOrder: [8000, 12_000],
  /** The same of enrollments whose accounts are collected. */
  readOfCollected: [20_000, 30_000],
  /** Up to so many rows are looked up and sorted for a page that wasn't among those: rows that match may come last. */
  sortedAfterwards: 100_000,
  /** Up to so many accounts that match a word are collected for those who read all. */
  collected: 10_000,
  /** Of several words one that at most so many accounts have is looked up; one bound after the other. */
  rare: [5000, 40_000, 100_000],
  /** Up to so many accounts are named by their ids in a query, to find a page. */
  named: 1000,
  /**
   * Of accounts that are filtered by their initial passwords and searched by words, those of the filter are looked up where they
   * are at most so many.
   */
  withInitialPassword: 2000,
  /** So many are named to count those that meet other conditions, of which most are met by nearly all. */
  counted: 1500,
};

/** What a search by words counts and sorts for a page in some order. */
interface SortingBounds {
  /** Up to so many entries are counted. */
  counted: number;
  /** Up to so many are sorted. */
  sorted: number;
  /** The same of several words. */
  sortedOfSeveral: number;
}

/** @param sortedBy the attribute in whose order a page is: of accounts, or of their enrollments */
export function sortingBounds(sortedBy: string | undefined): SortingBounds {
  const { sorted, sortedOfSeveral, sortedApart, sortedOfAccounts, collectedAccounts } = searchBounds;
  switch (sortedBy) {
    case 'enrolledAt':
      return { counted: collectedAccounts, sorted: sortedOfAccounts, sortedOfSeveral: sortedOfAccounts };
    case 'createdAt':
      return { counted: sorted, sorted, sortedOfSeveral };
    case 'lastNameKey':
    case 'firstNameKey':
      return { counted: sortedApart, sorted: sortedApart, sortedOfSeveral };
    default:
      return { counted: sortedApart, sorted: sortedApart, sortedOfSeveral: sortedApart };
  }
}

/** How long it is remembered that there are many, in milliseconds: counting them takes longer than most searches. */
const rememberedMs = 60_000;

/** When rows were found to be many, by their table and condition. */
const remembered = new WeakMap<Sequelize, Map<string, Date>>();

/**
 * Whether there are more rows than a search may read (`SEARCH_SCAN_ROWS`).
 * @param among the rows that are searched, by equal values
 */
export async function areMany<M extends Model>(
  { database: { sequelize, read }, config, now }: Core,
  model: ModelStatic<M>,
  among: WhereOptions<Attributes<M>>,
): Promise<boolean> {
  const found = remembered.get(sequelize) ?? new Map<string, Date>();
  remembered.set(sequelize, found);
  const name = `${model.name} ${JSON.stringify(among)}`;
  const time = now();
  const foundAt = found.get(name);
  if (foundAt && isRecent(foundAt, time, rememberedMs)) return true;
  const most = config.search.scannedRows;
  const isMany = (await read(() => rowsOf(model, { where: among, order: [] }).count(most + 1))) > most;
  if (isMany) found.set(name, time);
  return isMany;
}
