import type { Sequelize } from 'sequelize';
import type { Database } from './connection.js';

/** A fifth of the connections may be the second ones of reads that have two. */
const partOfConnections = 0.2;

const underWay = new WeakMap<Sequelize, number>();

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
  const count = (underWay.get(sequelize) ?? 0) + 1;
  underWay.set(sequelize, count);
  try {
    if (count <= Math.max(1, Math.floor(settings.poolMax * partOfConnections)))
      return await Promise.all([first(), second()]);
    return [await first(), await second()];
  } finally {
    underWay.set(sequelize, (underWay.get(sequelize) ?? 1) - 1);
  }
}
