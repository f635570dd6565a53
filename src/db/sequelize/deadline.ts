import { AsyncLocalStorage } from 'node:async_hooks';

export interface Abortable {
  /** Breaks the connection immediately. Pending statements fail, and the pool opens another connection. */
  abort(): void;
}

/**
 * The database did not answer before the deadline. Because of its code, the error counts as a lost connection. Because
 * of its class, {@link isDeadlineError} recognises it.
 */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('The database did not answer in time.');
  }
}

/**
 * Limits how long work uses the database. The clock runs while the work waits for a connection or has one. After the time
 * limit its connections are broken, because nobody reads the results and other work needs the pool. Pending and later
 * requests for a connection fail.
 */
class Deadline {
  private readonly connections = new Set<Abortable>();
  private readonly waiting = new Set<(reason: Error) => void>();
  private leftMs: number;
  private startedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  isExceeded = false;

  constructor(
    private readonly limitMs: number,
    private readonly restarts: boolean,
  ) {
    this.leftMs = limitMs;
  }

  /**
   * Waits for a connection. A connection that arrives after the deadline is passed to `release`. Not `async`: every
   * request passes here, and each promise costs time while an AsyncLocalStorage is in use.
   */
  acquire<C extends Abortable>(get: () => Promise<C>, release: (connection: C) => void): Promise<C> {
    if (this.isExceeded) return Promise.reject(new DeadlineExceededError());
    this.start();
    return new Promise<C>((resolve, reject) => {
      const fail = (reason: Error) => {
        this.waiting.delete(fail);
        this.stopIfIdle();
        reject(reason);
      };
      this.waiting.add(fail);
      get().then((connection) => {
        // The deadline has already rejected this request, so the connection isn't used.
        if (!this.waiting.delete(fail)) return release(connection);
        this.connections.add(connection);
        deadlines.set(connection, this);
        resolve(connection);
      }, fail);
    });
  }

  remainingMs(): number {
    return this.timer ? this.leftMs - (performance.now() - this.startedAt) : this.leftMs;
  }

  release(connection: Abortable): void {
    this.connections.delete(connection);
    this.stopIfIdle();
  }

  private start(): void {
    if (this.timer) return;
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.expire(), this.leftMs);
  }

  private stopIfIdle(): void {
    if (!this.timer || this.connections.size + this.waiting.size > 0) return;
    const left = this.restarts ? this.limitMs : Math.max(1, this.remainingMs());
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs = left;
    // The next use gets the whole limit.
    if (this.restarts) this.isExceeded = false;
  }

  private expire(): void {
    this.isExceeded = true;
    for (const connection of this.connections) connection.abort();
    for (const fail of this.waiting) fail(new DeadlineExceededError());
  }
}

const current = new AsyncLocalStorage<Deadline | undefined>();
const deadlines = new WeakMap<Abortable, Deadline>();

/**
 * Time limit of work in the database, in milliseconds. `all` limits the sum of all uses, `each` limits every single use.
 * `none` sets no limit besides those of the connections.
 */
export type DatabaseDeadline = { all: number } | { each: number } | 'none';

/** Runs work, and everything that the work calls, under a deadline. An inner deadline replaces the outer one. */
export function withDeadline<T>(deadline: DatabaseDeadline, work: () => Promise<T>): Promise<T> {
  if (deadline === 'none') return current.run(undefined, work);
  const limit = 'all' in deadline ? new Deadline(deadline.all, false) : new Deadline(deadline.each, true);
  return current.run(limit, work);
}

export const isDeadlineExceeded = (): boolean => current.getStore()?.isExceeded ?? false;

/** Returns the milliseconds that the calling work may still use the database; undefined without a deadline. */
export const remainingMs = (): number | undefined => current.getStore()?.remainingMs();

/**
 * Acquires a connection for the calling work.
 * @throws DeadlineExceededError
 */
export function acquireWithinDeadline<C extends Abortable>(
  get: () => Promise<C>,
  release: (connection: C) => void,
): Promise<C> {
  const deadline = current.getStore();
  return deadline ? deadline.acquire(get, release) : get();
}

/** Tells the deadline of a connection that the connection was released. */
export function releaseFromDeadline(connection: Abortable): void {
  deadlines.get(connection)?.release(connection);
  deadlines.delete(connection);
}
