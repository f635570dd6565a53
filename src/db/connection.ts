import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type Options, Sequelize, type Transaction } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../config.js';
import { isCluster } from './cluster.js';
import {
  dialectOptions,
  isSqlite,
  isTransientFault,
  mendSqliteConnections,
  writeTransactionOptions,
} from './dialect.js';
import { initModels, type Models } from './models/index.js';
import { translateError } from './translate-error.js';

/**
 * Sequelize's options for a configured database.
 * @public used by migrations/lib/sequelize-cli-config.cjs
 */
export function sequelizeOptions(database: SqliteConfig | MysqlConfig): Options {
  return {
    ...dialectOptions(database),
    logging: false,
    // Sequelize's own retry repeats a single query, inside a transaction that may be gone: inTransaction() repeats it whole.
    retry: { max: 1, match: [] },
    define: { underscored: true },
  };
}

const transactionAttempts = 5;
const retryBaseMs = 20;
const retryMaxMs = 320;

/**
 * How long conflicts on a cluster are tried again, however often they come: there two transactions that write the same
 * row through different nodes don't wait for each other, but one fails. So it is no fault but how they take turns, and
 * of three nodes' transactions on one row two fail each time.
 */
const clusterPatienceMs = 10_000;

/** An open database: the models, and the one way to write. */
export interface Database {
  sequelize: Sequelize;
  models: Models;
  /** What is connected to, for messages. */
  settings: SqliteConfig | MysqlConfig;
  /**
   * Runs a unit of work in a transaction, commit included, and all of it again after a deadlock or a busy database
   * (5 attempts, jittered; on a cluster for 10 s). Act on the outside world after it returns, never inside: the work may run more than once.
   * @throws AppError for broken invariants and unreachable databases; else what `work` throws
   */
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Runs a read with faults of the database translated to AppError. */
  read<T>(query: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens a database. Nothing is sent until the first query. */
export function openDatabase(settings: SqliteConfig | MysqlConfig): Database {
  const sequelize = new Sequelize(sequelizeOptions(settings));
  if (isSqlite(sequelize)) mendSqliteConnections(sequelize);
  const models = initModels(sequelize);
  // SQLite has a single writer: waiting for each other in order, in this process, beats colliding in the file.
  const inOrder = isSqlite(sequelize) ? pLimit(1) : undefined;

  async function attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const isPatient = () => isCluster(settings) && performance.now() - startedAt < clusterPatienceMs;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await sequelize.transaction(writeTransactionOptions(sequelize), work);
      } catch (error) {
        const mayTryAgain = attempts < transactionAttempts || isPatient();
        if (!mayTryAgain || !isTransientFault(error)) throw translateError(error, settings);
        await sleep(Math.min(retryBaseMs * 2 ** attempts, retryMaxMs) * (0.5 + Math.random()));
      }
    }
  }

  return {
    sequelize,
    models,
    settings,
    inTransaction: (work) => (inOrder ? inOrder(() => attempt(work)) : attempt(work)),
    async read(query) {
      try {
        return await query();
      } catch (error) {
        throw translateError(error, settings);
      }
    },
    close: () => sequelize.close(),
  };
}
