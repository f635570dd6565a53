import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Model, type ModelStatic, type Options, Sequelize, type Transaction } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../config/config.js';
import { isCluster } from './cluster.js';
import {
  type Abandonable,
  acquirePatiently,
  isPatienceOver,
  type Patient,
  releasePatiently,
  withPatience,
} from './deadline.js';
import {
  dialectOptions,
  isGivenUp,
  isLostConnection,
  isSqlite,
  isTransientFault,
  mendConnections,
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

/** What a transaction is told besides its work. */
export interface TransactionOptions<T> {
  /**
   * Looks, outside of the transaction, whether its result is there: asked when the connection was lost during the commit.
   * For work that makes something under a key of its own.
   */
  committed?(result: T): Promise<boolean>;
}

/** Looks for the row that a transaction has made, by its id. */
export function isThere<M extends Model & { id: string }>(model: ModelStatic<M>): TransactionOptions<M> {
  return { committed: async ({ id }) => (await model.findByPk(id, { attributes: ['id'] })) !== null };
}

/** A turn at writing, which is waited for and held as a connection is. */
interface Turn extends Abandonable {
  end(): void;
}

/** @throws AppError `OVERLOADED` when it doesn't come within the time of whoever waits for it */
async function takeTurn(turns: LimitFunction, settings: SqliteConfig | MysqlConfig): Promise<Turn> {
  const next = () =>
    new Promise<Turn>((resolve) => {
      void turns(
        () =>
          new Promise<void>((release) => {
            const end = () => {
              releasePatiently(turn);
              release();
            };
            // What is being written comes to its end: SQLite waits for nobody once it writes.
            const turn: Turn = { end, abandon: () => undefined };
            resolve(turn);
          }),
      );
    });
  try {
    return await acquirePatiently(next, (turn) => turn.end());
  } catch (error) {
    throw translateError(error, settings);
  }
}

/** An open database: the models, and the one way to write. */
export interface Database {
  sequelize: Sequelize;
  models: Models;
  /** What is connected to, for messages. */
  settings: SqliteConfig | MysqlConfig;
  /**
   * Runs a unit of work in a transaction, commit included, and all of it again after a deadlock, a busy database or a
   * connection that was lost on the way (5 attempts, jittered; on a cluster for 10 s). Act on the outside world after it
   * returns, never inside: the work may run more than once. A connection that is lost during the commit leaves open
   * whether it took place: nothing is tried again then.
   * @throws AppError for broken invariants and unreachable databases; else what `work` throws
   */
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions<T>): Promise<T>;
  /**
   * Runs a read with faults of the database translated to AppError, and once more when the connection was lost: the
   * server may have gone and come again since it was last used.
   */
  read<T>(query: () => Promise<T>): Promise<T>;
  /** Runs work, with all that it calls, that doesn't wait for the database for ever. */
  withPatience<T>(patient: Patient, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens a database. Nothing is sent until the first query. */
export function openDatabase(settings: SqliteConfig | MysqlConfig): Database {
  const sequelize = new Sequelize(sequelizeOptions(settings));
  mendConnections(sequelize);
  const models = initModels(sequelize);
  // SQLite has a single writer: waiting for each other in order, in this process, beats colliding in the file.
  const turns = isSqlite(sequelize) ? pLimit(1) : undefined;

  /** Whether all of a failed transaction is worth another attempt. */
  const isWorthAnother = (error: unknown) =>
    !isPatienceOver() && (isTransientFault(error) || (isLostConnection(error) && !isGivenUp(error)));

  async function attempt<T>(
    work: (transaction: Transaction) => Promise<T>,
    { committed }: TransactionOptions<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    const isPatient = () => isCluster(settings) && performance.now() - startedAt < clusterPatienceMs;
    for (let attempts = 1; ; attempts += 1) {
      let atCommit: { result: T } | undefined;
      try {
        return await sequelize.transaction(writeTransactionOptions(sequelize), async (transaction) => {
          const result = await work(transaction);
          atCommit = { result };
          return result;
        });
      } catch (error) {
        const ambiguous = atCommit !== undefined && isLostConnection(error);
        if (ambiguous && atCommit && (await committed?.(atCommit.result).catch(() => false))) return atCommit.result;
        const mayTryAgain = attempts < transactionAttempts || (isPatient() && isTransientFault(error));
        if (ambiguous || !mayTryAgain || !isWorthAnother(error)) throw translateError(error, settings);
        await sleep(Math.min(retryBaseMs * 2 ** attempts, retryMaxMs) * (0.5 + Math.random()));
      }
    }
  }

  return {
    sequelize,
    models,
    settings,
    async inTransaction(work, options = {}) {
      const turn = turns && (await takeTurn(turns, settings));
      try {
        return await attempt(work, options);
      } finally {
        turn?.end();
      }
    },
    async read(query) {
      try {
        return await query().catch((error: unknown) => {
          if (isLostConnection(error) && isWorthAnother(error)) return query();
          throw error;
        });
      } catch (error) {
        throw translateError(error, settings);
      }
    },
    withPatience,
    close: () => sequelize.close(),
  };
}
