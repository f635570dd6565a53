import type { Core } from './core.js';
import { isRecent } from './dates.js';

/**
 * Cache for counts of the whole programme. Counting very many rows takes long, so their counts are cached for a short time. Counting
 * then takes a small part of the database's time, no matter how often clients request counts.
 */

/** Counts of fewer rows are not cached. */
const minCachedRows = 1_000_000;
const cacheMs = 30_000;

interface CachedCounts {
  value: unknown;
  countedAt: Date;
}

/** Cached counts of each database, by name. */
const caches = new WeakMap<object, Map<string, CachedCounts>>();

/**
 * Returns cached counts if they are recent. Otherwise counts, and caches counts of very many rows.
 * @param name unique name of the counts
 * @param rowsOf returns the number of counted rows
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
  // Only results of `count` are stored under this name.
  if (last && isRecent(last.countedAt, now(), cacheMs)) return last.value as T;
  const value = await count();
  if (rowsOf(value) < minCachedRows) cache.delete(name);
  else cache.set(name, { value, countedAt: now() });
  return value;
}
