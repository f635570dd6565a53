import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * An SQLite driver with the interface of the package `sqlite3`, which Sequelize uses, over the synchronous interface of
 * `node:sqlite`. Each connection has its own thread, so that a locked file blocks neither other connections nor the event
 * loop.
 */

/** A request to a connection's thread, which answers in the order of the requests. */
export interface Request {
  kind: 'all' | 'run';
  sql: string;
  parameters: Parameters;
  /** How long SQLite waits for others' locks, in milliseconds. */
  busyTimeoutMs: number;
}

/** The answer to a {@link Request}. */
export interface Reply {
  failure?: { message: string; code: string; errno?: number };
  /** The rows of `all`, each with a value for every column. */
  columns?: string[];
  rows?: unknown[][];
  /** Of `run`. */
  changes?: number;
  lastID?: number;
  inTransaction: boolean;
  /** SQLite's schema version, which also changes with other processes' changes; only after a success. */
  schemaVersion?: number;
}

type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** `this` in Sequelize's callbacks. */
class Statement {
  constructor(
    readonly lastID?: number,
    readonly changes?: number,
  ) {}
}

type Callback<T> = (this: Statement, error: Error | null, result?: T) => void;
type Row = Record<string, unknown>;

/** The optional arguments after a statement. */
type Rest<T> = [Parameters, Callback<T>] | [Callback<T>] | [];

const noParameters: Parameters = [];

/** The error code of statements on a connection whose thread has ended. */
export const lostThreadCode = 'SQLITE_THREAD_LOST';

const lostThread = (reason: string) =>
  Object.assign(new Error(`The thread of the SQLite connection has ended: ${reason}`), { code: lostThreadCode });

/** SQLite has no booleans, and the library accepts none. */
function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return value === undefined ? null : value;
}

function bindables(parameters: Parameters): Parameters {
  if (Array.isArray(parameters)) return parameters.map(bindable);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, bindable(value)]));
}

function argumentsOf<T>(rest: Rest<T>): { parameters: Parameters; callback: Callback<T> } {
  if (rest.length === 2) return { parameters: rest[0], callback: rest[1] };
  return { parameters: noParameters, callback: rest[0] ?? (() => undefined) };
}

function rowsOf({ columns = [], rows = [] }: Reply): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
    return row;
  });
}

/**
 * Calls back without formatting stack traces. Sequelize creates an error for each statement and reads its stack, whose
 * formatting takes longer than handling the statement.
 */
function withoutStacks(callback: () => void): void {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = String;
  try {
    callback();
  } finally {
    if (prepareStackTrace) Error.prepareStackTrace = prepareStackTrace;
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
}

/**
 * The tables of a file, cached for all connections of this process. Sequelize asks for the columns of a table before each
 * query; the cache saves that message to the thread.
 */
interface Schema {
  connections: number;
  version: number;
  /** Rows by the statement that asks for them. */
  tables: Map<string, Reply>;
}

const schemas = new Map<string, Schema>();

/** The cached schema of a file; kept while a connection has the file open. */
function openSchema(file: string): Schema {
  const schema = schemas.get(file) ?? { connections: 0, version: -1, tables: new Map() };
  schemas.set(file, schema);
  schema.connections += 1;
  return schema;
}

function closeSchema(file: string, schema: Schema): void {
  schema.connections -= 1;
  if (schema.connections === 0) schemas.delete(file);
}

/** An open connection to an SQLite file. */
export class Database {
  /** The id of its transaction, set by Sequelize. */
  uuid?: string;
  /** Whether the last statement left a transaction open. */
  inTransaction = false;
  /** Whether it was closed, or its thread has died. */
  isLost = false;
  private readonly worker: Worker;
  private readonly waiting: ((reply: Reply | Error) => void)[] = [];
  private readonly ended: Promise<void>;
  private readonly schema: Schema;
  private lostBecause = 'it was closed';

  /**
   * Opens a file; creates it if it doesn't exist.
   * @param busyTimeoutMs how long SQLite waits for others' locks; may be changed between statements
   * @param callback called when it is open, or with the reason why it can't be opened
   */
  constructor(
    readonly filename: string,
    public busyTimeoutMs: number,
    callback: (error: Error | null) => void,
  ) {
    this.schema = openSchema(filename);
    this.worker = new Worker(fileURLToPath(new URL('./sqlite-worker.cjs', import.meta.url)), {
      workerData: { file: filename, busyTimeoutMs },
      // The thread runs plain JavaScript and needs no TypeScript loader.
      execArgv: [],
    });
    this.worker.on('message', (reply: Reply) => this.settle(reply));
    this.worker.on('error', (error) => {
      this.lostBecause = error.message;
    });
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.isLost = true;
        closeSchema(filename, this.schema);
        while (this.waiting.length > 0) this.settle(lostThread(this.lostBecause));
        resolve();
      });
    });
    this.expect((reply) => callback(reply instanceof Error ? reply : null));
  }

  /** Runs a statement and passes its rows to the callback. */
  all(sql: string, ...rest: Rest<Row[]>): void {
    const { parameters, callback } = argumentsOf(rest);
    const asksForColumns = sql.startsWith('PRAGMA table_info(');
    const known = asksForColumns && !this.isLost ? this.schema.tables.get(sql) : undefined;
    if (known) {
      process.nextTick(() => withoutStacks(() => callback.call(new Statement(), null, rowsOf(known))));
      return;
    }
    this.send('all', sql, parameters, (reply) => {
      if (reply instanceof Error) {
        callback.call(new Statement(), reply);
        return;
      }
      if (asksForColumns && reply.rows?.length) this.schema.tables.set(sql, reply);
      withoutStacks(() => callback.call(new Statement(), null, rowsOf(reply)));
    });
  }

  /** Runs a statement; `this` of the callback has the number of changes. */
  run(sql: string, ...rest: Rest<never>): void {
    const { parameters, callback } = argumentsOf(rest);
    this.send('run', sql, parameters, (reply) => {
      if (reply instanceof Error) callback.call(new Statement(), reply);
      else withoutStacks(() => callback.call(new Statement(reply.lastID, reply.changes), null));
    });
  }

  /** Statements always run in order. */
  serialize(work: () => void): void {
    work();
  }

  /** Closes the connection after its pending statements; calls back when its files are closed. */
  close(callback: (error: Error | null) => void = () => undefined): void {
    if (!this.isLost) {
      this.isLost = true;
      this.worker.ref();
      this.worker.postMessage('close');
    }
    void this.ended.then(() => callback(null));
  }

  private send(
    kind: Request['kind'],
    sql: string,
    parameters: Parameters,
    answer: (reply: Reply | Error) => void,
  ): void {
    if (this.isLost) {
      process.nextTick(answer, lostThread(this.lostBecause));
      return;
    }
    this.expect(answer);
    const request: Request = { kind, sql, parameters: bindables(parameters), busyTimeoutMs: this.busyTimeoutMs };
    this.worker.postMessage(request);
  }

  /** The thread keeps the process alive only while a reply is pending. */
  private expect(answer: (reply: Reply | Error) => void): void {
    if (this.waiting.length === 0) this.worker.ref();
    this.waiting.push(answer);
  }

  private settle(reply: Reply | Error): void {
    const answer = this.waiting.shift();
    if (this.waiting.length === 0 && !this.isLost) this.worker.unref();
    if (reply instanceof Error) {
      answer?.(reply);
      return;
    }
    this.inTransaction = reply.inTransaction;
    const { failure, schemaVersion } = reply;
    if (schemaVersion !== undefined && schemaVersion !== this.schema.version) {
      this.schema.tables.clear();
      this.schema.version = schemaVersion;
    }
    answer?.(failure ? Object.assign(new Error(failure.message), failure) : reply);
  }
}
