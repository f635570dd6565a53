import type { Options } from 'sequelize';
import type { SqliteConfig } from '../../config/config.js';
import { remainingMs } from '../sequelize/deadline.js';
import { type Parameters, type Reply, type Request, SqliteThread } from './thread.js';

/** Maximum idle threads: one for reads, and one for transactions. */
const maxIdleThreads = 2;

/** Milliseconds that SQLite waits for a write of another process, within the deadline of the calling work. */
const busyTimeoutMs = () => Math.max(500, Math.min(5000, Math.floor(remainingMs() ?? 5000)));

interface Statement {
  lastID?: number | undefined;
  changes?: number | undefined;
}

type Row = Record<string, unknown>;
type Callback<T> = (this: Statement, error: Error | null, result?: T) => void;

type OptionalArguments<T> = [Parameters, Callback<T>] | [Callback<T>] | [];

function parseArguments<T>(rest: OptionalArguments<T>): { parameters: Parameters; callback: Callback<T> } {
  if (rest.length === 2) return { parameters: rest[0], callback: rest[1] };
  return { parameters: [], callback: rest[0] ?? (() => undefined) };
}

/** Converts a value that the SQLite library doesn't accept. */
function toBindable(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return value === undefined ? null : value;
}

function toBindables(parameters: Parameters): Parameters {
  if (Array.isArray(parameters)) return parameters.map(toBindable);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, toBindable(value)]));
}

function rowsOf({ columns = [], rows = [] }: Reply): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
    return row;
  });
}

/** Threads of a file, shared by its connections, and a cache of table columns. */
class ThreadPool {
  private readonly all = new Set<SqliteThread>();
  private readonly idle: SqliteThread[] = [];
  private isClosed = false;
  /**
   * Columns of tables by the statement that queries them. Sequelize runs this statement before each query, and the cache
   * saves the message to the thread.
   */
  readonly tables = new Map<string, Reply>();
  private schemaVersion = -1;

  constructor(private readonly file: string) {}

  acquire(): SqliteThread {
    for (let thread = this.idle.pop(); thread; thread = this.idle.pop()) if (!thread.isLost) return thread;
    const thread = new SqliteThread(this.file, busyTimeoutMs());
    this.all.add(thread);
    return thread;
  }

  /** Takes back a thread. Keeps the thread for reuse if its transaction has ended. */
  release(thread: SqliteThread): void {
    const isUsable = !thread.isLost && !thread.inTransaction && !this.isClosed;
    if (isUsable && this.idle.length < maxIdleThreads) this.idle.push(thread);
    else void thread.close().then(() => this.all.delete(thread));
  }

  /** Clears the cache if the schema has changed. */
  noteSchema({ schemaVersion = this.schemaVersion }: Reply): void {
    if (schemaVersion !== this.schemaVersion) this.tables.clear();
    this.schemaVersion = schemaVersion;
  }

  /**
   * Closes the threads one by one. The last one removes the write-ahead log, unless another connection closes at the same
   * time.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const thread of this.all) await thread.close();
  }
}

/**
 * A connection with the interface of the package `sqlite3`, which Sequelize uses. Sequelize opens a connection for each
 * transaction, and another for everything else. Starting a thread takes longer than a transaction. So a connection has
 * a thread only while its statements or its transaction run. The first statement opens the file.
 */
class Connection {
  /** Id of the transaction, set by Sequelize; undefined outside of transactions. */
  uuid?: string;
  private thread: SqliteThread | undefined;
  private pending = 0;
  /**
   * Error that ended the transaction. The remaining statements must not run on another thread, outside of the
   * transaction.
   */
  private failure: Error | undefined;

  constructor(
    readonly filename: string,
    private readonly threads: ThreadPool,
  ) {}

  all(sql: string, ...rest: OptionalArguments<Row[]>): void {
    const { parameters, callback } = parseArguments(rest);
    const { tables } = this.threads;
    const asksForColumns = sql.startsWith('PRAGMA table_info(');
    const known = asksForColumns ? tables.get(sql) : undefined;
    if (known) {
      process.nextTick(() => callback.call({}, null, rowsOf(known)));
      return;
    }
    this.send('all', sql, parameters, (reply) => {
      if (reply instanceof Error) return callback.call({}, reply);
      if (asksForColumns && reply.rows?.length) tables.set(sql, reply);
      callback.call({}, null, rowsOf(reply));
    });
  }

  /** Runs a statement. `this` of the callback contains the number of changes. */
  run(sql: string, ...rest: OptionalArguments<never>): void {
    const { parameters, callback } = parseArguments(rest);
    this.send('run', sql, parameters, (reply) => {
      if (reply instanceof Error) callback.call({}, reply);
      else callback.call({ lastID: reply.lastID, changes: reply.changes }, null);
    });
  }

  /** Calls `work` directly: statements always run in order. */
  serialize(work: () => void): void {
    work();
  }

  /** Releases the thread, which rolls an open transaction back. */
  close(callback: (error: Error | null) => void = () => undefined): void {
    this.releaseThread();
    callback(null);
  }

  private send(kind: Request['kind'], sql: string, parameters: Parameters, settle: (reply: Reply | Error) => void) {
    if (this.failure) return process.nextTick(settle, this.failure);
    this.thread ??= this.threads.acquire();
    const { thread } = this;
    this.pending += 1;
    const request: Request = { kind, sql, parameters: toBindables(parameters), busyTimeoutMs: busyTimeoutMs() };
    thread.send(request, (reply) => {
      this.pending -= 1;
      if (!(reply instanceof Error)) this.threads.noteSchema(reply);
      else if (thread.isLost && this.uuid !== undefined) this.failure = reply;
      if (this.pending === 0 && !thread.inTransaction) this.releaseThread();
      settle(reply);
    });
  }

  private releaseThread(): void {
    if (this.thread) this.threads.release(this.thread);
    this.thread = undefined;
  }
}

/** Returns Sequelize's options for a database file, and a function that closes the threads after Sequelize. */
export function sqliteConnectionSetup({ file }: SqliteConfig): { options: Options; close(): Promise<void> } {
  const threads = new ThreadPool(file);
  class Database extends Connection {
    constructor(name: string, _mode: number, callback: (error: Error | null) => void) {
      super(name, threads);
      process.nextTick(callback, null);
    }
  }
  return {
    options: {
      dialect: 'sqlite',
      storage: file,
      dialectModule: { Database, OPEN_READWRITE: 2, OPEN_CREATE: 4 },
      // Keeps Sequelize from switching on the check of foreign keys in each transaction: the threads do that.
      // Sequelize's types lack this option.
      ...({ foreignKeys: false } as object),
    },
    close: () => threads.close(),
  };
}
