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
 * Milliseconds without traffic after which both ends close a connection. An unreachable server must not block a request,
 * and an unreachable client must not keep its row locks.
 */
const defaultInactivityMs = 20_000;
/** Milliseconds without traffic before TCP keep-alive probes are sent. */
const keepAliveMs = 10_000;
/** Milliseconds that a server has to close the connection after COM_QUIT. */
const quitTimeoutMs = 1000;
/** Milliseconds that running statements may take when the database is closed. */
const closeTimeoutMs = 1500;
/** Milliseconds after which the pool closes an idle connection; below the inactivity limit. */
const idleTimeoutMs = 10_000;

/** Session settings that affect stored and compared values, independent of the server's defaults. */
const sessionSettings =
  "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'" +
  `, time_zone = '+00:00', wait_timeout = ${defaultInactivityMs / 1000}`;

/**
 * Each statement sees all earlier commits. A repeated check therefore sees a change that another transaction has just
 * committed.
 */
const isolationSetting = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** Limits that replace those of the service's connections. */
export interface ConnectionLimits {
  /**
   * Milliseconds without traffic, for example during a statement; 0 for no limit. Without a limit, only the operating
   * system notices an unreachable server, after about 20 s.
   */
  inactivityMs?: number;
}

/** Used parts of the driver's connection. */
interface MysqlConnection extends Abortable {
  stream: {
    setTimeout(ms: number): void;
    on(event: 'timeout', listener: () => void): void;
    destroy(error?: Error): void;
  };
  query(statement: string | { sql: string }, ...others: unknown[]): unknown;
  execute(statement: string | { sql: string }, ...others: unknown[]): unknown;
}

/** Milliseconds that the server may continue a query after its deadline, at which the program breaks the connection. */
const serverTimeoutMarginMs = 1000;

/**
 * Adds a time limit to a query, so that the server ends it. The server doesn't notice a broken connection until the query
 * ends, and slow queries would pile up. MariaDB reads the first comment, MySQL the second.
 */
function withServerTimeout(sql: string): string {
  const left = remainingMs();
  if (left === undefined || !sql.startsWith('SELECT ')) return sql;
  const milliseconds = Math.ceil(Math.max(left, 0) + serverTimeoutMarginMs);
  const seconds = (milliseconds / 1000).toFixed(3);
  return `/*M!100102 SET STATEMENT max_statement_time=${seconds} FOR */ SELECT /*+ MAX_EXECUTION_TIME(${milliseconds}) */ ${sql.slice('SELECT '.length)}`;
}

/** Adds time limits to the queries of a connection, and reports errors to the watch for read-only servers. */
function adaptStatements(connection: MysqlConnection, readOnly: ReadOnlyWatch): void {
  for (const kind of ['query', 'execute'] as const) {
    const send = connection[kind].bind(connection);
    connection[kind] = (statement, ...others) => {
      const callback = others.pop();
      const observed = (error: Error | null, ...results: unknown[]) => {
        if (error) readOnly.noteError(error);
        // The driver's types have no callback here.
        (callback as (error: Error | null, ...results: unknown[]) => void)(error, ...results);
      };
      // Sequelize passes queries as objects.
      const limited =
        typeof statement === 'string' ? statement : { ...statement, sql: withServerTimeout(statement.sql) };
      return send(limited, ...others, typeof callback === 'function' ? observed : callback);
    };
  }
}

/**
 * Prepares a new connection. Each setting may take as long as a request waits for a connection, because the request
 * waits for the settings too.
 */
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
 * Patches Sequelize's connection manager, which has no hooks for released or closed connections. Connections are acquired
 * within the deadline of the calling work (deadline.ts), and replaced if the server has become read-only
 * (read-only-server.ts). Broken connections are dropped without COM_QUIT: a failed COM_QUIT would hide the cause or end
 * the program.
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
      // This error says that all connections are in use. The pool also throws it if a new connection takes too long. If
      // no connection is in use, the server doesn't respond.
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
    // Nobody needs the results of running statements, so they must not keep the program running.
    const late = setTimeout(() => {
      for (const connection of inUse) connection.abort();
    }, closeTimeoutMs);
    await close().finally(() => clearTimeout(late));
  };
  manager.disconnect = async (connection) => {
    const { stream } = connection;
    if (validate(connection)) {
      // A connection that can't be closed in order is destroyed.
      await disconnect(connection).catch(() => stream.destroy());
      // An unreachable server never closes its end, and an open connection keeps the program running.
      setTimeout(() => stream.destroy(), quitTimeoutMs).unref();
    } else stream.destroy();
  };
}

/**
 * Returns Sequelize's options for a MySQL or MariaDB server, and a function that patches its connections before the first
 * query.
 */
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
      // Sequelize's types lack these options. Without the options, Sequelize sets the time zone and queries the version
      // with no time limit.
      ...({ keepDefaultTimezone: true, databaseVersion: '5.7.0' } as object),
      dialectOptions: {
        charset: 'utf8mb4',
        connectTimeout: database.poolAcquireMs,
        keepAliveInitialDelay: keepAliveMs,
        // Sequelize has already put the values into the statements. Without this, the driver searches each statement for
        // placeholders.
        queryFormat: (sql: string) => sql,
        ...tlsOptions(database),
      },
      pool: { max: database.poolMax, acquire: database.poolAcquireMs, idle: idleTimeoutMs },
      hooks: { afterConnect: prepareConnection(database, inactivityMs, readOnly) },
    },
    adapt: (sequelize) => patchConnections(sequelize, readOnly),
  };
}
