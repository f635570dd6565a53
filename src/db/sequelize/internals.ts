import type { Sequelize, Transaction } from 'sequelize';

/** Undeclared parts of Sequelize that this program uses. A new version of Sequelize may change them. */
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

/** Connections in the pool and in use, and requests that wait for a connection. */
export interface PoolCounts {
  size: number;
  using: number;
  waiting: number;
}

/**
 * Types what Sequelize has, but doesn't declare.
 * @typeParam Connection the used part of the driver's connection
 */
export const internalsOf = <Connection>(sequelize: Sequelize) => sequelize as unknown as Internals<Connection>;

/** Returns the connection of a transaction that has begun. */
export const connectionOf = <Connection>(transaction: Transaction) =>
  (transaction as Transaction & { connection: Connection }).connection;
