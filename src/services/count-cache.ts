import type { Core } from './core.js';
import { isRecent } from './recent.js';

/**
 * Figures of the whole programme, which take the longer to count the more there is: those of very many rows are shown again
 * for a while, so that counting takes a small part of the database's time, however often one asks for them.
 */

/** Figures of fewer rows are counted each time. */
const minCachedRows = 1_000_000;
const cacheMs = 30_000;

interface CachedCounts {
  value: unknown;
  countedAt: Date;
}

/** The figures of each database by name. */
const caches = new WeakMap<object, Map<string, CachedCounts>>();

/**
 * Counts, or shows what was counted.
 * @param name of what is counted: one for each kind of figures
 * @param rowsOf how many rows were counted
 */
export async function cachedCounts<T>(
  { database, now }: Pick<Core, 'database' | 'now'>,
  name: string,
  count: () => Promise<T>,
  rowsOf: (value: T) => number,
): Promise<T> {
  const cache = caches.get(database) ?? new Map<string, CachedCounts>();
  caches.set(database, cache);
  const last = cache.get(name);
  // Only what `count` gave is stored by this name.
  if (last && isRecent(last.countedAt, now(), cacheMs)) return last.value as T;
  const value = await count();
  if (rowsOf(value) < minCachedRows) cache.delete(name);
  else cache.set(name, { value, countedAt: now() });
  return value;
}
