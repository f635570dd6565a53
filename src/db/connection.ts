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

/** How Sequelize connects to a database. */
interface ConnectionSetup {
  options: Options;
  /** Changes its connections before the first query. */
  adapt?(sequelize: Sequelize): void;
  /** Closes what is left when Sequelize is closed. */
  close?(): Promise<void>;
}

function connectionSetupFor(settings: SqliteConfig | MysqlConfig, limits?: ConnectionLimits): ConnectionSetup {
  return settings.dialect === 'sqlite' ? sqliteConnectionSetup(settings) : mysqlConnectionSetup(settings, limits);
}

const withDefaults = (options: Options): Options => ({
  ...options,
  logging: false,
  // Sequelize's own retry repeats a single query, inside a transaction that may be gone: inTransaction() repeats it whole.
  retry: { max: 1, match: [] },
  define: { underscored: true },
});

/**
 * Sequelize's options for a configured database.
 * @param limits of connections to a server
 * @public used by migrations/lib/sequelize-cli-config.cjs
 */
export const sequelizeOptions = (database: SqliteConfig | MysqlConfig, limits?: ConnectionLimits): Options =>
  withDefaults(connectionSetupFor(database, limits).options);

/** The fault below a failure of {@link Database.read}, which work in a transaction uses too: it decides on a retry. */
function underlyingFault(error: unknown): unknown {
  return isAppError(error, 'OVERLOADED', 'DATABASE_UNREACHABLE') ? (error.cause ?? error) : error;
}

const transactionAttempts = 5;
const retryBaseMs = 20;
const retryMaxMs = 320;

/**
 * How long conflicts on a cluster are retried, however often they occur. Transactions that write the same row through
 * different nodes don't wait for each other: all but one fail, so conflicts are the normal way of serialising them.
 */
const clusterRetryMs = 10_000;

/** Options of a transaction. */
export interface TransactionOptions<T> {
  /**
   * Checks, outside the transaction, whether its result was committed: called when the connection was lost during the
   * commit. For work that creates a row under a new key.
   */
  committed?(result: T): Promise<boolean>;
}

/** Confirms a commit by looking for the row that the transaction created, by its id. */
export function confirmedById<M extends Model & { id: string }>(model: ModelStatic<M>): TransactionOptions<M> {
  return { committed: async ({ id }) => (await model.findByPk(id, { attributes: ['id'] })) !== null };
}

/** The write lock of this process, which counts against a deadline as a connection does. */
interface WriteLock extends Abortable {
  release(): void;
}

/** @throws AppError `OVERLOADED` when the lock isn't free before the deadline of the calling work */
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
            // A running write ends by itself: SQLite doesn't wait once it writes.
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

/** An open database: the models, and the one way to write. */
export interface Database {
  sequelize: Sequelize;
  models: Models;
  /** What the connection leads to, for messages. */
  settings: SqliteConfig | MysqlConfig;
  /**
   * Runs a unit of work in a transaction and commits it. After a deadlock, a busy database or a lost connection the whole
   * transaction is repeated (5 attempts, jittered; on a cluster for 10 s), so the work must have no effects outside the
   * database. A connection lost during the commit leaves unknown whether it took place: then nothing is repeated.
   * @throws AppError for broken invariants and unreachable databases; else what `work` throws
   */
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions<T>): Promise<T>;
  /**
   * Runs one statement that commits by itself: one round trip instead of the three of a transaction. Repeated as a
   * transaction is, and after a lost connection, when it may have been committed before: so running it again must do no
   * harm.
   */
  inStatement<T>(run: (transaction: Transaction | undefined) => Promise<T>): Promise<T>;
  /**
   * Runs a read with faults of the database translated to AppError. Repeats it once after a lost connection, because the
   * server may have been restarted since the connection was last used.
   */
  read<T>(query: () => Promise<T>): Promise<T>;
  /** Runs work under a deadline, with all that it calls. */
  withDeadline<T>(deadline: DatabaseDeadline, work: () => Promise<T>): Promise<T>;
  /** The pool of its connections, as it is now; SQLite uses none of it. */
  pool(): PoolCounts;
  close(): Promise<void>;
}

/**
 * Opens a database. Nothing is sent until the first query.
 * @param limits of connections to a server
 * @param onFreedSeats gets the courses that a committed transaction has marked (freed-seats.ts); it must not throw or wait
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
  // SQLite has a single writer: queueing in this process is cheaper than conflicts in the file.
  const writeQueue = isSqlite(sequelize) ? pLimit(1) : undefined;

  const isWorthRetrying = (error: unknown) =>
    !isDeadlineExceeded() && (isTransientFault(error) || (isLostConnection(error) && !isDeadlineError(error)));

  /** Repeats work after faults that pass. @param mayHaveCommitted whether repeating it could do it twice */
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
    const once = async () => {
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
    return retry(once, () => mayHaveCommitted);
  }

  /** Runs work as the only writer of this process, on SQLite. */
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
      // On SQLite the connection outside of transactions is the one for reads.
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
