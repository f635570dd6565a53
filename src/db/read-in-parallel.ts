import type { Sequelize } from 'sequelize';
import type { Database } from './connection.js';

/** A fifth of the connections may be the second ones of reads that have two. */
const parallelShare = 0.2;

const runningReads = new WeakMap<Sequelize, number>();

/**
 * The results of two reads, made at the same time while few others do so, else one after the other: a client that asks for many
 * pages has one connection for each of its requests, and leaves the rest to others.
 */
export async function readInParallel<A, B>(
  { sequelize, settings }: Pick<Database, 'sequelize' | 'settings'>,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  // SQLite has no connections for which others wait.
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
