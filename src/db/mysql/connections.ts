import { ConnectionAcquireTimeoutError, ConnectionError, type Options, type Sequelize } from 'sequelize';
import type { MysqlConfig } from '../../config/config.js';
import {
  type Abortable,
  acquireWithinDeadline,
  DeadlineExceededError,
  releaseFromDeadline,
  remainingMs,
} from '../sequelize/deadline.js';
import { internalsOf } from '../sequelize/internals.js';
import { enableClusterReads } from './cluster.js';
import { type ReadOnlyWatch, watchForReadOnlyServer } from './read-only-server.js';
import { tlsOptions } from './tls.js';

/** Connections to MySQL and MariaDB. */

/**
 * Both ends close a connection after so long without traffic: a server that is out of reach must not block a request, nor
 * a client that is out of reach the rows that it has locked.
 */
const defaultInactivityMs = 20_000;
/** How long a connection has no traffic before its system asks the other one whether it is still there. */
const keepAliveMs = 10_000;
/** How long a server has to close the connection after COM_QUIT. */
const quitTimeoutMs = 1000;
/** How long running statements may still take when the database is closed. */
const closeTimeoutMs = 1500;
/** Idle connections of the pool are closed long before that. */
const idleTimeoutMs = 10_000;

/** Session settings that decide what is stored and compared, whatever the server's defaults. */
const sessionSettings =
  "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'" +
  `, time_zone = '+00:00', wait_timeout = ${defaultInactivityMs / 1000}`;

/** Each statement sees what was committed before it: a second check sees the transaction that won a race. */
const isolationSetting = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** What connections may do, where it isn't what those of the service may. */
export interface ConnectionLimits {
  /**
   * How long they may have no traffic, in milliseconds, as while a statement runs; 0 for no limit: then only the system
   * notices that a server is out of reach, after some 20 s.
   */
  inactivityMs?: number;
}

/** The parts of the driver's connection that are used here. */
interface MysqlConnection extends Abortable {
  stream: {
    setTimeout(ms: number): void;
    on(event: 'timeout', listener: () => void): void;
    destroy(error?: Error): void;
  };
  query(statement: string | { sql: string }, ...others: unknown[]): unknown;
  execute(statement: string | { sql: string }, ...others: unknown[]): unknown;
}

/** How long a server goes on with a query after the deadline of its work, in milliseconds: by then the connection is broken. */
const serverTimeoutMarginMs = 1000;

/**
 * A query that the server ends by itself: it doesn't notice that a connection was broken until it has the result, and queries
 * that take long would become more and more. MariaDB reads the first comment, MySQL the second.
 */
function withServerTimeout(sql: string): string {
  const left = remainingMs();
  if (left === undefined || !sql.startsWith('SELECT ')) return sql;
  const milliseconds = Math.ceil(Math.max(left, 0) + serverTimeoutMarginMs);
  const seconds = (milliseconds / 1000).toFixed(3);
  return `/*M!100102 SET STATEMENT max_statement_time=${seconds} FOR */ SELECT /*+ MAX_EXECUTION_TIME(${milliseconds}) */ ${sql.slice('SELECT '.length)}`;
}

/** Makes the server end queries whose client no longer waits, and watches for the errors of a read-only one. */
function adaptStatements(connection: MysqlConnection, readOnly: ReadOnlyWatch): void {
  for (const kind of ['query', 'execute'] as const) {
    const send = connection[kind].bind(connection);
    connection[kind] = (statement, ...others) => {
      // The callback comes last.
      const callback = others.pop();
      const observed = (error: Error | null, ...results: unknown[]) => {
        if (error) readOnly.noteError(error);
        // The driver types its parameters.
        (callback as (error: Error | null, ...results: unknown[]) => void)(error, ...results);
      };
      // Sequelize gives queries as objects.
      const limited =
        typeof statement === 'string' ? statement : { ...statement, sql: withServerTimeout(statement.sql) };
      return send(limited, ...others, typeof callback === 'function' ? observed : callback);
    };
  }
}

/** Each setting may take as long as a request waits for a connection, because the connection is unusable before. */
const prepareConnection =
  (database: MysqlConfig, inactivityMs: number, readOnly: ReadOnlyWatch) => async (given: unknown) => {
    // Sequelize passes the driver's connection untyped.
    const connection = given as MysqlConnection;
    const { stream } = connection;
    connection.abort = () => stream.destroy(new DeadlineExceededError());
    stream.on('timeout', () => connection.abort());
    stream.setTimeout(database.poolAcquireMs);
    for (const setting of [sessionSettings, isolationSetting])
      await new Promise<void>((resolve, reject) => {
        connection.query(setting, (error: Error | null) => (error ? reject(error) : resolve()));
      });
    await enableClusterReads(connection, database);
    readOnly.noteOpened(connection);
    adaptStatements(connection, readOnly);
    stream.setTimeout(inactivityMs);
  };

/**
 * Acquires connections within the deadline of the calling work (deadline.ts), opens others when the server has become read-only
 * (read-only-server.ts), and drops broken connections without COM_QUIT: sending it would fail, and Sequelize would report that
 * failure in place of the cause, or end the program. Sequelize has no hooks for connections that are given back or closed.
 */
function patchConnections(sequelize: Sequelize, readOnly: ReadOnlyWatch): void {
  const manager = internalsOf<MysqlConnection>(sequelize).connectionManager;
  const get = manager.getConnection.bind(manager);
  const release = manager.releaseConnection.bind(manager);
  const destroy = manager.destroyConnection.bind(manager);
  const disconnect = manager.disconnect.bind(manager);
  const close = manager.close.bind(manager);
  const validate = manager.validate.bind(manager);
  manager.validate = (connection) => validate(connection) && !readOnly.isOutdated(connection);
  const inUse = new Set<MysqlConnection>();
  const acquire = (options?: object) =>
    get(options).catch((error: unknown) => {
      // The pool's limit is also that of a new connection, and ends first: it says that all are in use. When none is, the
      // server doesn't answer.
      if (!(error instanceof ConnectionAcquireTimeoutError) || inUse.size > 0) throw error;
      throw new ConnectionError(Object.assign(new Error('connect ETIMEDOUT', { cause: error }), { code: 'ETIMEDOUT' }));
    });
  manager.getConnection = async (options) => {
    const connection = await acquireWithinDeadline(() => acquire(options), release);
    inUse.add(connection);
    return connection;
  };
  const markReleased = (connection: MysqlConnection) => {
    inUse.delete(connection);
    releaseFromDeadline(connection);
  };
  manager.releaseConnection = (connection) => {
    markReleased(connection);
    release(connection);
  };
  manager.destroyConnection = (connection) => {
    markReleased(connection);
    return destroy(connection);
  };
  manager.close = async () => {
    // Statements whose results are no longer needed must not keep the program from ending.
    const late = setTimeout(() => {
      for (const connection of inUse) connection.abort();
    }, closeTimeoutMs);
    await close().finally(() => clearTimeout(late));
  };
  manager.disconnect = async (connection) => {
    const { stream } = connection;
    if (validate(connection)) {
      // A connection that can't be ended in order is ended without it.
      await disconnect(connection).catch(() => stream.destroy());
      // A server that is out of reach never closes its end, and an open connection keeps the program running.
      setTimeout(() => stream.destroy(), quitTimeoutMs).unref();
    } else stream.destroy();
  };
}

/** Sequelize's options for a MySQL or MariaDB server, and what to change about its connections before the first query. */
export function mysqlConnectionSetup(
  database: MysqlConfig,
  { inactivityMs = defaultInactivityMs }: ConnectionLimits = {},
): { options: Options; adapt(sequelize: Sequelize): void } {
  const readOnly = watchForReadOnlyServer();
  return {
    options: {
      dialect: 'mysql',
      host: database.host,
      port: database.port,
      database: database.name,
      username: database.user,
      password: database.password,
      timezone: '+00:00',
      // Without these options, which its types lack, Sequelize would set the zone and ask for the version in queries that no
      // time limit covers.
      ...({ keepDefaultTimezone: true, databaseVersion: '5.7.0' } as object),
      dialectOptions: {
        charset: 'utf8mb4',
        connectTimeout: database.poolAcquireMs,
        keepAliveInitialDelay: keepAliveMs,
        // Sequelize has put the values into the statements: without this, the driver searches each for places of values.
        queryFormat: (sql: string) => sql,
        ...tlsOptions(database),
      },
      pool: { max: database.poolMax, acquire: database.poolAcquireMs, idle: idleTimeoutMs },
      hooks: { afterConnect: prepareConnection(database, inactivityMs, readOnly) },
    },
    adapt: (sequelize) => patchConnections(sequelize, readOnly),
  };
}
