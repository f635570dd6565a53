import type { Options, Sequelize } from 'sequelize';
import type { SqliteConfig } from '../../config/config.js';
import { remainingMs } from '../deadline.js';
import { Database } from '../sqlite-driver.js';

/** Connections to SQLite: how they are opened, reused and closed. */

/** How long SQLite waits for the write of another process, in milliseconds: not past the deadline of the calling work. */
const sqliteBusyTimeoutMs = () => Math.max(500, Math.min(5000, Math.floor(remainingMs() ?? 5000)));

/** Sequelize passes the mode; only one is supported here. */
class SqliteConnection extends Database {
  constructor(file: string, _mode: number, callback: (error: Error | null) => void) {
    super(file, sqliteBusyTimeoutMs(), callback);
  }
}

/** What Sequelize calls the connection for reads; it also writes the name into the options of a query that opened it. */
const forReads = 'default';

/** Sequelize's SQLite connections: the one {@link forReads}, the others by transaction. */
interface SqliteConnectionManager {
  connections: Record<string, SqliteConnection>;
  getConnection(options?: { uuid?: string }): Promise<SqliteConnection>;
  releaseConnection(connection: SqliteConnection): void;
  destroyConnection(connection: SqliteConnection): Promise<void>;
  close(): Promise<void>;
}

/**
 * Corrects three faults of Sequelize's connection handling on SQLite:
 * - It keeps a connection that failed to open, and later queries on it wait for ever. Here failed connections, and those
 *   whose thread died, are discarded, and the next query opens another.
 * - It opens a connection for each transaction. Here a transaction takes an idle connection, or the one for reads while
 *   nothing is read: a thread takes longer to start than a transaction to run, and few commands read beside a transaction.
 * - It doesn't wait for the connections that it closes. Here the connection for reads closes last: SQLite removes the
 *   write-ahead log only with the last connection.
 */
export function patchSqliteConnections(sequelize: Sequelize): void {
  // Sequelize's types don't declare these methods.
  const manager = sequelize.connectionManager as unknown as SqliteConnectionManager;
  const open = manager.getConnection.bind(manager);
  const closeRest = manager.close.bind(manager);
  const openings = new Map<string, Promise<SqliteConnection>>();
  const closings = new Set<Promise<void>>();
  let idle: SqliteConnection | undefined;
  /** How many statements outside of transactions have the connection for reads. */
  let reading = 0;
  let isClosed = false;

  function close(connection: SqliteConnection): void {
    // Closing has no failure: the thread ends in any case.
    const closing = new Promise<void>((resolve) => connection.close(() => resolve()));
    closings.add(closing);
    void closing.then(() => closings.delete(closing));
  }

  /** The idle connection; for a transaction also the one for reads, while nothing is read. */
  function takeUnused(isForReads: boolean): SqliteConnection | undefined {
    let connection = idle;
    idle = undefined;
    if (!connection && !isForReads && reading === 0) {
      connection = manager.connections[forReads];
      delete manager.connections[forReads];
    }
    if (!connection || connection.isLost) return undefined;
    connection.busyTimeoutMs = sqliteBusyTimeoutMs();
    return connection;
  }

  function connect(key: string, options: { uuid?: string }): Promise<SqliteConnection> {
    const pending = openings.get(key);
    if (pending) return pending;
    if (manager.connections[key]?.isLost) delete manager.connections[key];
    const reused = manager.connections[key] ? undefined : takeUnused(key === forReads);
    if (reused) {
      manager.connections[key] = reused;
      return Promise.resolve(reused);
    }
    const opening = open(options)
      .catch((error: unknown) => {
        delete manager.connections[key];
        throw error;
      })
      .finally(() => openings.delete(key));
    openings.set(key, opening);
    return opening;
  }

  manager.getConnection = async (options = {}) => {
    const key = options.uuid ?? forReads;
    if (key !== forReads) return connect(key, options);
    reading += 1;
    return connect(key, options).catch((error: unknown) => {
      reading -= 1;
      throw error;
    });
  };
  manager.releaseConnection = (connection) => {
    if (connection.uuid === undefined) {
      reading -= 1;
      return;
    }
    delete manager.connections[connection.uuid];
    const isUsable = !connection.isLost && !connection.inTransaction && !isClosed;
    if (isUsable && !manager.connections[forReads] && !openings.has(forReads))
      manager.connections[forReads] = connection;
    else if (isUsable && !idle) idle = connection;
    else close(connection);
  };
  manager.destroyConnection = async (connection) => {
    if (connection.uuid === undefined) return;
    delete manager.connections[connection.uuid];
    close(connection);
  };
  manager.close = async () => {
    isClosed = true;
    if (idle) close(idle);
    idle = undefined;
    await Promise.all(closings);
    await closeRest();
  };
}

/** Sequelize's options for a database in a file, without logging. */
export function sqliteOptions(database: SqliteConfig): Options {
  return {
    dialect: 'sqlite',
    storage: database.file,
    dialectModule: { Database: SqliteConnection, OPEN_READWRITE: 2, OPEN_CREATE: 4 },
  };
}
