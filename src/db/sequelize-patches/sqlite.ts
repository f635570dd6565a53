import type { Options, Sequelize } from 'sequelize';
import type { SqliteConfig } from '../../config/config.js';
import { patienceLeftMs } from '../deadline.js';
import { Database } from '../sqlite-driver.js';

/** Connections to SQLite: how they are made, kept and closed: dialect.ts's share of them. */

/** How long SQLite itself waits for another process's write to end, in milliseconds: no longer than whoever asks does. */
const sqliteBusyTimeoutMs = () => Math.max(500, Math.min(5000, Math.floor(patienceLeftMs() ?? 5000)));

/** Sequelize tells the mode; there is only one here. */
class SqliteConnection extends Database {
  constructor(file: string, _mode: number, callback: (error: Error | null) => void) {
    super(file, sqliteBusyTimeoutMs(), callback);
  }
}

/** What Sequelize keeps of its SQLite connections: the one for reads under `default`, the others by transaction. */
interface SqliteConnectionManager {
  connections: Record<string, SqliteConnection>;
  getConnection(options?: { uuid?: string }): Promise<SqliteConnection>;
  releaseConnection(connection: SqliteConnection): void;
  destroyConnection(connection: SqliteConnection): Promise<void>;
  close(): Promise<void>;
}

/**
 * Sequelize keeps a SQLite connection that failed to open, and queries that meet it wait for ever. So all that share an
 * opening wait for its end, and a failed one is forgotten: the next query tries anew; one whose thread died is forgotten
 * too. Sequelize also opens a connection for each transaction: here the one that has served a transaction serves the
 * next, for a thread takes longer to start than a transaction to run. And it closes connections behind its back: those
 * of transactions are waited for before the last one closes, which takes the write-ahead log along only when it finds
 * itself alone.
 */
export function mendSqliteConnections(sequelize: Sequelize): void {
  // Sequelize's types show nothing of what is mended here.
  const manager = sequelize.connectionManager as unknown as SqliteConnectionManager;
  const open = manager.getConnection.bind(manager);
  const closeRest = manager.close.bind(manager);
  const openings = new Map<string, Promise<SqliteConnection>>();
  const closings = new Set<Promise<void>>();
  let idle: SqliteConnection | undefined;
  let isClosed = false;

  function close(connection: SqliteConnection): void {
    const closing = new Promise<void>((resolve) => connection.close(() => resolve()));
    closings.add(closing);
    void closing.then(() => closings.delete(closing));
  }

  /** The connection that is free for a transaction, if there is one. */
  function takeIdle(): SqliteConnection | undefined {
    const connection = idle;
    idle = undefined;
    if (!connection || connection.isLost) return undefined;
    connection.busyTimeoutMs = sqliteBusyTimeoutMs();
    return connection;
  }

  manager.getConnection = (options = {}) => {
    const key = options.uuid ?? 'default';
    const pending = openings.get(key);
    if (pending) return pending;
    if (manager.connections[key]?.isLost) delete manager.connections[key];
    const reused = options.uuid === undefined || manager.connections[key] ? undefined : takeIdle();
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
  };
  manager.releaseConnection = (connection) => {
    // The one for reads stays.
    if (connection.uuid === undefined) return;
    delete manager.connections[connection.uuid];
    const isUsable = !connection.isLost && !connection.inTransaction;
    if (isUsable && !idle && !isClosed) idle = connection;
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
