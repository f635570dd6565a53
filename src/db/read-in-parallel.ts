import type { Sequelize } from 'sequelize';
import type { Database } from './connection.js';

/** Share of the pool's connections that may run the second of two parallel reads. */
const parallelShare = 0.2;

const runningReads = new WeakMap<Sequelize, number>();

/**
 * Runs two reads in parallel if few others do so, otherwise one after the other. A client that requests many pages at
 * once then leaves connections for others.
 */
export async function readInParallel<A, B>(
  { sequelize, settings }: Pick<Database, 'sequelize' | 'settings'>,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  // SQLite has no pool that reads could exhaust.
  if (settings.dialect === 'sqlite') return Promise.all([first(), second()]);
  const count = (runningReads.get(sequelize) ?? 0) + 1;
  runningReads.set(sequelize, count);
  try {
    if (count <= Math.max(1, Math.floor(settings.poolMax * parallelShare)))
      return await Promise.all([first(), second()]);
    return [await first(), await second()];
  } finally {
    runningReads.set(sequelize, (runningReads.get(sequelize) ?? 1) - 1);
  }
}
