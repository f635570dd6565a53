import type { Attributes, Model, ModelStatic, Sequelize, WhereOptions } from 'sequelize';
import { rowsOf } from '../db/page.js';
import type { Core } from './core.js';

/**
 * What a search by words reads. Measured among 2,000,000 accounts: to look a row up by an index takes 5 µs of the server's
 * processor time, to read the next row of a page's order 3 µs where these rows are adjacent, else 5 to 8 µs. So with about as
 * many matches as the first two bounds both ways to a page of 20 take the same.
 */
export const searchBounds = {
  /** Up to so many rows are looked up and sorted for a page in the order in which rows were created. */
  sorted: 4500,
  /** The same for a page in another order, and of rows that refer to those. */
  sortedApart: 7000,
  /** So many rows are read in the order of a page to find it, where more match; one piece after the other. */
  readInOrder: [2000, 18_000],
  /** Up to so many rows are looked up and sorted for a page that wasn't among those: rows that match may come last. */
  sortedAfterwards: 100_000,
  /** Up to so many accounts that match a word are collected for those who read all. */
  collected: 10_000,
  /** Of several words one that at most so many accounts have is looked up; one bound after the other. */
  rare: [4500, 20_000, 100_000],
  /** Up to so many accounts are named by their ids in a query. */
  named: 2000,
};

/** How long it is remembered that there are many, in milliseconds: counting them takes longer than most searches. */
const rememberedMs = 60_000;

/** Until when rows are remembered to be many, by their table and condition. */
const remembered = new WeakMap<Sequelize, Map<string, number>>();

/**
 * Whether there are more rows than a search may read (`SEARCH_SCAN_ROWS`).
 * @param among the rows that are searched, by equal values
 */
export async function areMany<M extends Model>(
  { database: { sequelize, read }, config, now }: Core,
  model: ModelStatic<M>,
  among: WhereOptions<Attributes<M>>,
): Promise<boolean> {
  const until = remembered.get(sequelize) ?? new Map<string, number>();
  remembered.set(sequelize, until);
  const name = `${model.name} ${JSON.stringify(among)}`;
  const time = now().getTime();
  if ((until.get(name) ?? 0) > time) return true;
  const most = config.search.scannedRows;
  const isMany = (await read(() => rowsOf(model, { where: among, order: [] }).count(most + 1))) > most;
  if (isMany) until.set(name, time + rememberedMs);
  return isMany;
}
