import { Worker } from 'node:worker_threads';
import type { SqliteConfig } from '../../config/config.js';
import { programFile } from '../../package-root.js';

/** A request to the thread of a connection. Replies come in the order of the requests. */
export interface Request {
  kind: 'all' | 'run';
  sql: string;
  parameters: Parameters;
  /** Milliseconds that SQLite waits for locks of other processes. */
  busyTimeoutMs: number;
}

export type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

export interface Reply {
  failure?: { message: string; code: string; errno?: number };
  /** Rows of `all`, each with a value for every column. */
  columns?: string[];
  rows?: unknown[][];
  /** Result of `run`. */
  changes?: number;
  lastID?: number;
  inTransaction: boolean;
  /** SQLite's schema version, which other processes may change too; absent after a failure. */
  schemaVersion?: number;
}

/** Error code of statements on a connection whose thread has ended. */
export const lostThreadCode = 'SQLITE_THREAD_LOST';

/**
 * A connection to an SQLite file in its own thread. A locked file therefore blocks neither other connections nor the
 * event loop. Creates a missing file. If the file can't be opened, all requests fail.
 */
export class SqliteThread {
  /** Whether the last statement left a transaction open. */
  inTransaction = false;
  /** Whether the thread was closed, couldn't open the file, or has died. */
  isLost = false;
  private readonly worker: Worker;
  private readonly waiting: ((reply: Reply | Error) => void)[] = [];
  private readonly ended: Promise<void>;
  private lossReason: Error | undefined;

  constructor(file: string, busyTimeoutMs: number) {
    this.worker = new Worker(programFile('db/sqlite/worker.cjs'), {
      workerData: { file, busyTimeoutMs },
      // The worker is plain JavaScript and needs no TypeScript loader.
      execArgv: [],
    });
    this.worker.on('message', (reply: Reply) => this.settle(reply));
    this.worker.on('error', (error) => {
      this.lossReason = this.lostError(error.message);
    });
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        this.isLost = true;
        this.inTransaction = false;
        while (this.waiting.length > 0) this.settle(this.lossReason ?? this.lostError('it was closed'));
        resolve();
      });
    });
    // The first reply reports whether the file could be opened.
    this.addWaiting((reply) => {
      if (reply instanceof Error) this.lossReason ??= reply;
    });
  }

  send(request: Request, settle: (reply: Reply | Error) => void): void {
    if (this.isLost) {
      process.nextTick(settle, this.lossReason ?? this.lostError('it was closed'));
      return;
    }
    this.addWaiting(settle);
    this.worker.postMessage(request);
  }

  /**
   * Closes the connection after its pending statements, and rolls an open transaction back. Resolves when its files are
   * closed.
   */
  close(): Promise<void> {
    if (!this.isLost) {
      this.isLost = true;
      this.worker.ref();
      this.worker.postMessage('close');
    }
    return this.ended;
  }

  private lostError(reason: string): Error {
    const message = `The thread of the SQLite connection has ended: ${reason}`;
    return Object.assign(new Error(message), { code: lostThreadCode });
  }

  /** Adds a callback for the next reply. The thread keeps the process alive only while a reply is pending. */
  private addWaiting(settle: (reply: Reply | Error) => void): void {
    if (this.waiting.length === 0) this.worker.ref();
    this.waiting.push(settle);
  }

  private settle(reply: Reply | Error): void {
    const settle = this.waiting.shift();
    if (this.waiting.length === 0 && !this.isLost) this.worker.unref();
    if (!(reply instanceof Error)) this.inTransaction = reply.inTransaction;
    const failure = !(reply instanceof Error) && reply.failure;
    settle?.(failure ? Object.assign(new Error(failure.message), failure) : reply);
  }
}

/**
 * Milliseconds that SQLite waits for locks of other processes. Short, because a person waits for completions after the
 * Tab key.
 */
const selectTimeoutMs = 1000;

/**
 * Runs one SELECT on a file without Sequelize, whose loading takes three times as long as starting Node.
 * @param sql with `?` for each value
 * @returns the rows as lists of values
 */
export async function selectFromFile({ file }: SqliteConfig, sql: string, values: readonly string[]) {
  const thread = new SqliteThread(file, selectTimeoutMs);
  try {
    return await new Promise<unknown[][]>((resolve, reject) => {
      thread.send({ kind: 'all', sql, parameters: values, busyTimeoutMs: selectTimeoutMs }, (reply) =>
        reply instanceof Error ? reject(reply) : resolve(reply.rows ?? []),
      );
    });
  } finally {
    await thread.close();
  }
}
