import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Model, type ModelStatic, type Options, Sequelize, type Transaction } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../config/config.js';
import { isAppError } from '../errors.js';
import { isDeadlineError, isLostConnection, isSqlite, isTransientFault, writeTransactionOptions } from './dialect.js';
import { freedSeatsOf } from './freed-seats.js';
import { initModels, type Models } from './models/index.js';
import { isCluster } from './mysql/cluster.js';
import { type ConnectionLimits, mysqlConnectionSetup } from './mysql/connections.js';
import {
  type Abortable,
  acquireWithinDeadline,
  type DatabaseDeadline,
  isDeadlineExceeded,
  releaseFromDeadline,
  withDeadline,
} from './sequelize/deadline.js';
import { internalsOf, type PoolCounts } from './sequelize/internals.js';
import { sqliteConnectionSetup } from './sqlite/driver.js';
import { translateError } from './translate-error.js';

interface ConnectionSetup {
  options: Options;
  /** Patches the connections before the first query. */
  adapt?(sequelize: Sequelize): void;
  /** Releases other resources after Sequelize is closed. */
  close?(): Promise<void>;
}

function connectionSetupFor(settings: SqliteConfig | MysqlConfig, limits?: ConnectionLimits): ConnectionSetup {
  return settings.dialect === 'sqlite' ? sqliteConnectionSetup(settings) : mysqlConnectionSetup(settings, limits);
}

const withDefaults = (options: Options): Options => ({
  ...options,
  logging: false,
  // Sequelize's own retry repeats a single query, even in a lost transaction. inTransaction() repeats the whole
  // transaction.
  retry: { max: 1, match: [] },
  define: { underscored: true },
});

/**
 * Returns Sequelize's options for a configured database.
 * @param limits of connections to a server
 * @public used by migrations/lib/sequelize-cli-config.cjs
 */
export const sequelizeOptions = (database: SqliteConfig | MysqlConfig, limits?: ConnectionLimits): Options =>
  withDefaults(connectionSetupFor(database, limits).options);

/**
 * Returns the driver's error that a translated error wraps, and other errors unchanged. Retries depend on the driver's
 * error.
 */
function underlyingFault(error: unknown): unknown {
  return isAppError(error, 'OVERLOADED', 'DATABASE_UNREACHABLE') ? (error.cause ?? error) : error;
}

const transactionAttempts = 5;
const retryBaseMs = 20;
const retryMaxMs = 320;

/**
 * Milliseconds for which conflicts on a cluster are retried, however often they occur. Transactions that write the same
 * row through different nodes don't wait for each other: all but one fail. So conflicts are normal on a cluster.
 */
const clusterRetryMs = 10_000;

export interface TransactionOptions<T> {
  /**
   * Checks, outside the transaction, whether its result was committed. Called if the connection was lost during the
   * commit. For work that creates a row under a new key.
   */
  committed?(result: T): Promise<boolean>;
}

/** Returns options that confirm a commit by finding the created row by its id. */
export function confirmedById<M extends Model & { id: string }>(model: ModelStatic<M>): TransactionOptions<M> {
  return { committed: async ({ id }) => (await model.findByPk(id, { attributes: ['id'] })) !== null };
}

/**
 * The write lock of this process. Waiting for the lock and holding it count against a deadline, as with a connection.
 */
interface WriteLock extends Abortable {
  release(): void;
}

/** @throws AppError `OVERLOADED` if the lock isn't free before the deadline of the calling work */
async function acquireWriteLock(queue: LimitFunction, settings: SqliteConfig | MysqlConfig): Promise<WriteLock> {
  const next = () =>
    new Promise<WriteLock>((resolve) => {
      void queue(
        () =>
          new Promise<void>((leaveQueue) => {
            const release = () => {
              releaseFromDeadline(lock);
              leaveQueue();
            };
            // A running write isn't aborted: SQLite waits for nothing during a write.
            const lock: WriteLock = { release, abort: () => undefined };
            resolve(lock);
          }),
      );
    });
  try {
    return await acquireWithinDeadline(next, (lock) => lock.release());
  } catch (error) {
    throw translateError(error, settings);
  }
}

export interface Database {
  sequelize: Sequelize;
  models: Models;
  /** Settings of the connection, for messages. */
  settings: SqliteConfig | MysqlConfig;
  /**
   * Runs work in a transaction and commits it. After a deadlock, a busy database or a lost connection, the whole
   * transaction is repeated: up to 5 attempts, on a cluster for 10 s. So the work must have no effects outside the
   * database. Nothing is repeated if the connection is lost during the commit, because the commit may have succeeded.
   * @throws AppError for violated constraints and unreachable databases; otherwise the errors of `work`
   */
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions<T>): Promise<T>;
  /**
   * Runs one statement that commits by itself, in one round trip instead of three. Repeated like a transaction. A
   * statement on a lost connection is repeated too, although it may have been committed. So running it twice must do no
   * harm.
   */
  inStatement<T>(run: (transaction: Transaction | undefined) => Promise<T>): Promise<T>;
  /**
   * Runs a read, and translates errors of the database to AppError. After a lost connection, repeats the read a single
   * time: the server may have restarted since the last use.
   */
  read<T>(query: () => Promise<T>): Promise<T>;
  /** Runs work, and everything that the work calls, under a deadline. */
  withDeadline<T>(deadline: DatabaseDeadline, work: () => Promise<T>): Promise<T>;
  /** Current counts of the connection pool. SQLite doesn't use the pool. */
  pool(): PoolCounts;
  close(): Promise<void>;
}

/**
 * Opens a database. Connects at the first query.
 * @param limits of connections to a server
 * @param onFreedSeats gets the courses marked by a committed transaction (freed-seats.ts); must not throw or block
 */
export function openDatabase(
  settings: SqliteConfig | MysqlConfig,
  limits?: ConnectionLimits,
  onFreedSeats: (courseIds: ReadonlySet<string>) => void = () => undefined,
): Database {
  const connections = connectionSetupFor(settings, limits);
  const sequelize = new Sequelize(withDefaults(connections.options));
  connections.adapt?.(sequelize);
  const models = initModels(sequelize);
  // SQLite has a single writer. A queue in this process is cheaper than conflicts in the file.
  const writeQueue = isSqlite(sequelize) ? pLimit(1) : undefined;

  const isWorthRetrying = (error: unknown) =>
    !isDeadlineExceeded() && (isTransientFault(error) || (isLostConnection(error) && !isDeadlineError(error)));

  /**
   * Repeats work after transient errors.
   * @param mayHaveCommitted stops retries after an ambiguous commit
   */
  async function retry<T>(work: () => Promise<T>, mayHaveCommitted: () => boolean = () => false): Promise<T> {
    const startedAt = performance.now();
    const isClusterRetry = () => isCluster(settings) && performance.now() - startedAt < clusterRetryMs;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await work();
      } catch (error) {
        const fault = underlyingFault(error);
        const mayRetry = attempts < transactionAttempts || (isClusterRetry() && isTransientFault(fault));
        if (mayHaveCommitted() || !mayRetry || !isWorthRetrying(fault)) throw translateError(error, settings);
        await sleep(Math.min(retryBaseMs * 2 ** attempts, retryMaxMs) * (0.5 + Math.random()));
      }
    }
  }

  function transact<T>(
    work: (transaction: Transaction) => Promise<T>,
    { committed }: TransactionOptions<T> = {},
  ): Promise<T> {
    let mayHaveCommitted = false;
    const runAttempt = async () => {
      let atCommit: { result: T } | undefined;
      try {
        return await sequelize.transaction(writeTransactionOptions(sequelize), async (transaction) => {
          const result = await work(transaction);
          atCommit = { result };
          return result;
        });
      } catch (error) {
        mayHaveCommitted = atCommit !== undefined && isLostConnection(error);
        if (mayHaveCommitted && atCommit && (await committed?.(atCommit.result).catch(() => false)))
          return atCommit.result;
        throw error;
      }
    };
    return retry(runAttempt, () => mayHaveCommitted);
  }

  /** Runs work; on SQLite as the only writer of this process. */
  async function asWriter<T>(work: () => Promise<T>): Promise<T> {
    const lock = writeQueue && (await acquireWriteLock(writeQueue, settings));
    try {
      return await work();
    } finally {
      lock?.release();
    }
  }

  return {
    sequelize,
    models,
    settings,
    async inTransaction(work, options) {
      let last: Transaction | undefined;
      const attempt = (transaction: Transaction) => {
        last = transaction;
        return work(transaction);
      };
      const result = await asWriter(() => transact(attempt, options));
      const freed = last && freedSeatsOf(last);
      if (freed) onFreedSeats(freed);
      return result;
    },
    inStatement(run) {
      // On SQLite, the connection outside of transactions is for reads.
      if (isSqlite(sequelize)) return asWriter(() => transact(run));
      return retry(() => run(undefined));
    },
    async read(query) {
      let failure: unknown;
      try {
        return await query();
      } catch (error) {
        failure = error;
      }
      try {
        if (isLostConnection(failure) && isWorthRetrying(failure)) return await query();
      } catch (error) {
        failure = error;
      }
      throw translateError(failure, settings);
    },
    withDeadline,
    pool: () => internalsOf(sequelize).connectionManager.pool,
    async close() {
      await sequelize.close();
      await connections.close?.();
    },
  };
}
