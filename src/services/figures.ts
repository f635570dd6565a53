import type { Core } from './core.js';
import { isRecent } from './recent.js';

/**
 * Figures of the whole programme, which take the longer to count the more there is: those of very many rows are shown again
 * for a while, so that counting takes a small part of the database's time, however often one asks for them.
 */

/** Figures of fewer rows are counted each time. */
const manyRows = 1_000_000;
const shownForMs = 30_000;

interface Figures {
  value: unknown;
  countedAt: Date;
}

/** The figures of each database by name. */
const remembered = new WeakMap<object, Map<string, Figures>>();

/**
 * Counts, or shows what was counted.
 * @param name of what is counted: one for each kind of figures
 * @param rowsOf how many rows were counted
 */
export async function figuresOf<T>(
  { database, now }: Pick<Core, 'database' | 'now'>,
  name: string,
  count: () => Promise<T>,
  rowsOf: (value: T) => number,
): Promise<T> {
  const figures = remembered.get(database) ?? new Map<string, Figures>();
  remembered.set(database, figures);
  const last = figures.get(name);
  // Only what `count` gave is stored by this name.
  if (last && isRecent(last.countedAt, now(), shownForMs)) return last.value as T;
  const value = await count();
  if (rowsOf(value) < manyRows) figures.delete(name);
  else figures.set(name, { value, countedAt: now() });
  return value;
}
