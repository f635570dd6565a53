import { Worker } from 'node:worker_threads';
import type { SqliteConfig } from '../../config/config.js';
import { programFile } from '../../package-root.js';

/** A request to a connection's thread, which answers in the order of the requests. */
export interface Request {
  kind: 'all' | 'run';
  sql: string;
  parameters: Parameters;
  /** How long SQLite waits for others' locks, in milliseconds. */
  busyTimeoutMs: number;
}

/** Values by position or by name. */
export type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The reply to a {@link Request}. */
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

/** The error code of statements on a connection whose thread has ended. */
export const lostThreadCode = 'SQLITE_THREAD_LOST';

/**
 * A connection to an SQLite file in a thread of its own, so that a locked file blocks neither other connections nor the event
 * loop. It is opened, and the file created, by the first request; a failure is that of the requests.
 */
export class SqliteThread {
  /** Whether the last statement left a transaction open. */
  inTransaction = false;
  /** Whether it was closed, couldn't be opened, or has died. */
  isLost = false;
  private readonly worker: Worker;
  private readonly waiting: ((reply: Reply | Error) => void)[] = [];
  private readonly ended: Promise<void>;
  private lossReason: Error | undefined;

  constructor(file: string, busyTimeoutMs: number) {
    this.worker = new Worker(programFile('db/sqlite/worker.cjs'), {
      workerData: { file, busyTimeoutMs },
      // The thread runs plain JavaScript and needs no TypeScript loader.
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
    // The reply to opening it.
    this.addWaiting((reply) => {
      if (reply instanceof Error) this.lossReason ??= reply;
    });
  }

  /** Runs a statement. */
  send(request: Request, settle: (reply: Reply | Error) => void): void {
    if (this.isLost) {
      process.nextTick(settle, this.lossReason ?? this.lostError('it was closed'));
      return;
    }
    this.addWaiting(settle);
    this.worker.postMessage(request);
  }

  /** Closes the connection after its pending statements, rolling a transaction back; resolves when its files are closed. */
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

  /** The thread keeps the process alive only while a reply is pending. */
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

/** How long SQLite waits for others' locks, in milliseconds: a person waits for the names at the Tab key. */
const selectTimeoutMs = 1000;

/**
 * Runs one SELECT on a file, past Sequelize, whose loading alone takes three times as long as the start of Node.
 * @param sql with `?` for each value
 * @returns its rows as lists of values
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
