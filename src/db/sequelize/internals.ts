import type { Sequelize, Transaction } from 'sequelize';

/**
 * What this program uses of Sequelize although its types don't declare it: what a new version of it may change.
 */
interface Internals<Connection> {
  connectionManager: {
    getConnection(options?: object): Promise<Connection>;
    releaseConnection(connection: Connection): void;
    destroyConnection(connection: Connection): Promise<void>;
    disconnect(connection: Connection): Promise<void>;
    close(): Promise<void>;
    validate(connection: Connection): boolean;
    pool: PoolCounts;
  };
  options: { logging?: unknown };
  log(text: string): void;
  getQueryInterface(): {
    queryGenerator: { getWhereConditions(where: object, alias: string, model: unknown): string };
  };
}

/** Connections of the pool. */
export interface PoolCounts {
  size: number;
  using: number;
  waiting: number;
}

/** @typeParam Connection the driver's, as far as it is used */
export const internalsOf = <Connection>(sequelize: Sequelize) => sequelize as unknown as Internals<Connection>;

/** The connection of a transaction, which has one when it has begun. */
export const connectionOf = <Connection>(transaction: Transaction) =>
  (transaction as Transaction & { connection: Connection }).connection;
