import { availableParallelism } from 'node:os';
import type { Config, MysqlConfig } from './config.js';

/** Which worker of `serve --workers` a process is. */
export interface WorkerShare {
  /** From 1. */
  number: number;
  /** How many workers there are. */
  of: number;
}

/** What a worker gets at least of a limit that is divided, unless the limit itself is lower. */
const least = {
  /** Leases are renewed, and imports run, beside requests. */
  poolMax: 4,
  /** Twice the connections to the database, as by default. */
  maxInFlight: 8,
  connectionsPerAddress: 10,
};

const part = (whole: number, of: number, atLeast: number) => Math.min(whole, Math.max(atLeast, Math.floor(whole / of)));

/** In how many processes `serve` runs: `auto` is one for each core, and one on SQLite, which has one writer. */
export function workerCount({ workers, database }: Pick<Config, 'workers' | 'database'>): number {
  if (workers !== 'auto') return workers;
  return database.dialect === 'sqlite' ? 1 : availableParallelism();
}

/** How many cores are for each of so many workers. */
export const coresOf = (workers: number): number => Math.max(1, Math.floor(availableParallelism() / workers));

/** The settings of one of several workers: what is bounded for the whole service is divided among them. */
export function settingsOfWorker(config: Config, { of }: WorkerShare): Config {
  const { database, http } = config;
  const shared = (pool: MysqlConfig) => Object.freeze({ ...pool, poolMax: part(pool.poolMax, of, least.poolMax) });
  return Object.freeze({
    ...config,
    database: database.dialect === 'sqlite' ? database : shared(database),
    http: Object.freeze({
      ...http,
      maxInFlight: part(http.maxInFlight, of, least.maxInFlight),
      connectionsPerAddress: part(http.connectionsPerAddress, of, least.connectionsPerAddress),
    }),
  });
}

/**
 * How many connections `serve` opens at most to a MySQL or MariaDB server: the pools of all workers, of one more that
 * replaces another, and that of the process that starts them.
 */
export function maxDatabaseConnections(config: Config): number {
  const { database } = config;
  if (database.dialect === 'sqlite') return 1;
  const workers = workerCount(config);
  return workers === 1 ? database.poolMax : (workers + 1) * part(database.poolMax, workers, least.poolMax) + 1;
}
