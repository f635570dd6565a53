import type { Options } from 'sequelize';
import type { SqliteConfig } from '../../config/config.js';
import { remainingMs } from '../sequelize/deadline.js';
import { type Parameters, type Reply, type Request, SqliteThread } from './thread.js';

/** Threads: one for reads, and one for the transactions beside them. */
const maxIdleThreads = 2;

/** How long SQLite waits for the write of another process, in milliseconds: not past the deadline of the calling work. */
const busyTimeoutMs = () => Math.max(500, Math.min(5000, Math.floor(remainingMs() ?? 5000)));

/** `this` in Sequelize's callbacks. */
interface Statement {
  lastID?: number | undefined;
  changes?: number | undefined;
}

type Row = Record<string, unknown>;
type Callback<T> = (this: Statement, error: Error | null, result?: T) => void;

/** The optional arguments after a statement. */
type OptionalArguments<T> = [Parameters, Callback<T>] | [Callback<T>] | [];

function parseArguments<T>(rest: OptionalArguments<T>): { parameters: Parameters; callback: Callback<T> } {
  if (rest.length === 2) return { parameters: rest[0], callback: rest[1] };
  return { parameters: [], callback: rest[0] ?? (() => undefined) };
}

/** SQLite has no booleans, and the library accepts none. */
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

/** The threads of a file, which its connections share, and its tables. */
class ThreadPool {
  private readonly all = new Set<SqliteThread>();
  private readonly idle: SqliteThread[] = [];
  private isClosed = false;
  /**
   * The columns of tables, by the statement that asks for them: Sequelize does before each query, and this saves that message
   * to the thread.
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

  /** Takes back a thread, and keeps it where its transaction has ended. */
  release(thread: SqliteThread): void {
    const isUsable = !thread.isLost && !thread.inTransaction && !this.isClosed;
    if (isUsable && this.idle.length < maxIdleThreads) this.idle.push(thread);
    else void thread.close().then(() => this.all.delete(thread));
  }

  /** Forgets the tables when they have changed. */
  noteSchema({ schemaVersion = this.schemaVersion }: Reply): void {
    if (schemaVersion !== this.schemaVersion) this.tables.clear();
    this.schemaVersion = schemaVersion;
  }

  /** Closes them one by one: SQLite removes the write-ahead log with the last one, unless another closes at that moment. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const thread of this.all) await thread.close();
  }
}

/**
 * A connection with the interface of the package `sqlite3`, which Sequelize uses: it has one for each transaction, and another
 * one for everything else. A thread takes longer to start than a transaction to run, so a connection has one only while its
 * statements or its transaction run, and opens the file with the first of them.
 */
class Connection {
  /** The id of its transaction, set by Sequelize; none on the one for everything else. */
  uuid?: string;
  private thread: SqliteThread | undefined;
  private pending = 0;
  /** Why its transaction was lost: what is left of it must not run outside of it, on another thread. */
  private failure: Error | undefined;

  constructor(
    readonly filename: string,
    private readonly threads: ThreadPool,
  ) {}

  /** Runs a statement and passes its rows to the callback. */
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

  /** Runs a statement; `this` of the callback has the number of changes. */
  run(sql: string, ...rest: OptionalArguments<never>): void {
    const { parameters, callback } = parseArguments(rest);
    this.send('run', sql, parameters, (reply) => {
      if (reply instanceof Error) callback.call({}, reply);
      else callback.call({ lastID: reply.lastID, changes: reply.changes }, null);
    });
  }

  /** Statements always run in order. */
  serialize(work: () => void): void {
    work();
  }

  /** Gives its thread back, which rolls an open transaction back. */
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

/** Sequelize's options for a database in a file, without logging, and how to close its threads after Sequelize. */
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
      // The threads check foreign keys. Sequelize's types lack the option that spares a statement for each transaction.
      ...({ foreignKeys: false } as object),
    },
    close: () => threads.close(),
  };
}
