import type { Options, Sequelize } from 'sequelize';
import sqlite3 from 'sqlite3';
import type { SqliteConfig } from '../config.js';
import { systemErrorCode } from '../errors.js';
import { patienceLeftMs } from './patience.js';

/** Connections to SQLite: how they are made, mended and closed: dialect.ts's share of them. */

/** How long SQLite itself waits for another process's write to end, in milliseconds: no longer than whoever asks does. */
const sqliteBusyTimeoutMs = () => Math.max(500, Math.min(5000, Math.floor(patienceLeftMs() ?? 5000)));

/**
 * Sequelize opens one connection for reads and one a transaction, and offers no hook for SQLite: so the pragmas are
 * set where the connection is made. WAL lets readers go on beside the writer; FULL makes a commit survive power loss.
 */
class TunedSqliteDatabase extends sqlite3.Database {
  constructor(file: string, mode: number, callback: (error: Error | null) => void) {
    const busyTimeoutMs = sqliteBusyTimeoutMs();
    super(file, mode, (error) => {
      if (error) return callback(error);
      this.configure('busyTimeout', busyTimeoutMs);
      this.tune(Date.now() + busyTimeoutMs, callback);
    });
  }

  /** A new file becomes WAL in a moment of its own, for which SQLite doesn't wait when others open the file too. */
  private tune(deadline: number, callback: (error: Error | null) => void): void {
    this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;', (failure) => {
      if (!failure) callback(null);
      else if (systemErrorCode(failure) === 'SQLITE_BUSY' && Date.now() < deadline) {
        setTimeout(() => this.tune(deadline, callback), 10 * (1 + Math.random()));
      } else this.close(() => callback(failure));
    });
  }
}

type SqliteConnection = sqlite3.Database & { uuid?: string };

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
 * opening wait for its end, and a failed one is forgotten: the next query tries anew. It also looks for a broken
 * transaction's connection in a pool that SQLite doesn't have, and so never closes it. And it closes connections behind
 * its back: those of transactions are waited for before the last one closes, which takes the write-ahead log along only
 * when it finds itself alone.
 */
export function mendSqliteConnections(sequelize: Sequelize): void {
  // Sequelize's types show nothing of what is mended here.
  const manager = sequelize.connectionManager as unknown as SqliteConnectionManager;
  const open = manager.getConnection.bind(manager);
  const closeRest = manager.close.bind(manager);
  const openings = new Map<string, Promise<SqliteConnection>>();
  const closings = new Set<Promise<void>>();
  manager.getConnection = (options = {}) => {
    const key = options.uuid ?? 'default';
    const pending = openings.get(key);
    if (pending) return pending;
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
    const closing = new Promise<void>((resolve) => connection.close(() => resolve()));
    closings.add(closing);
    void closing.then(() => closings.delete(closing));
  };
  manager.destroyConnection = async (connection) => manager.releaseConnection(connection);
  manager.close = async () => {
    await Promise.all(closings);
    await closeRest();
  };
}

/** Sequelize's options for a database in a file, without logging. */
export function sqliteOptions(database: SqliteConfig): Options {
  return {
    dialect: 'sqlite',
    storage: database.file,
    dialectModule: { ...sqlite3, Database: TunedSqliteDatabase },
  };
}
