import { AsyncLocalStorage } from 'node:async_hooks';

/** A connection of the pool, as far as giving it up goes. */
export interface Abandonable {
  /** Breaks the connection at once: whatever waits for its answer fails, and the pool makes another one. */
  abandon(): void;
}

/** The code and words of a wait that was given up; they are told from a server that broke the connection. */
const givenUpCode = 'ETIMEDOUT';
export const givenUpMessage = 'The database did not answer in time.';

/** The failure of whatever waited too long. */
export function givenUp(): Error {
  return Object.assign(new Error(givenUpMessage), { code: givenUpCode });
}

/**
 * How long a piece of work waits for the database: its clock runs while it waits for a connection or holds one. When
 * the time is over, the connections that it holds are broken, for whatever they were to do has no reader any more and
 * nobody else may be kept from them; what it waits for fails at once, and so does what it asks for later.
 */
class Patience {
  private readonly held = new Set<Abandonable>();
  private readonly waiting = new Set<(reason: Error) => void>();
  private leftMs: number;
  private startedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  isOver = false;

  constructor(
    private readonly totalMs: number,
    private readonly perWait: boolean,
  ) {
    this.leftMs = totalMs;
  }

  /** Waits for a connection; one that comes too late is handed to `giveBack`. */
  async acquire<C extends Abandonable>(get: () => Promise<C>, giveBack: (connection: C) => void): Promise<C> {
    if (this.isOver) throw givenUp();
    this.run();
    let fail: (reason: Error) => void = () => undefined;
    const end = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    this.waiting.add(fail);
    const getting = get();
    try {
      const connection = await Promise.race([getting, end]);
      if (this.isOver) throw givenUp();
      this.held.add(connection);
      return connection;
    } catch (error) {
      if (this.isOver) getting.then(giveBack, () => undefined);
      throw error;
    } finally {
      this.waiting.delete(fail);
      this.rest();
    }
  }

  /** What is left of its time, in milliseconds. */
  left(): number {
    return this.timer ? this.leftMs - (performance.now() - this.startedAt) : this.leftMs;
  }

  release(connection: Abandonable): void {
    this.held.delete(connection);
    this.rest();
  }

  private run(): void {
    if (this.timer) return;
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.expire(), this.leftMs);
  }

  private rest(): void {
    if (!this.timer || this.held.size + this.waiting.size > 0) return;
    const left = this.perWait ? this.totalMs : Math.max(1, this.left());
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs = left;
  }

  private expire(): void {
    this.isOver = true;
    for (const connection of this.held) connection.abandon();
    for (const fail of this.waiting) fail(givenUp());
  }
}

const current = new AsyncLocalStorage<Patience | undefined>();
const holders = new WeakMap<Abandonable, Patience>();

/**
 * How patient a piece of work is: `all` of its waits for the database together, or `each` of them, may take that many
 * milliseconds; `endless` waits as long as the connection itself does.
 */
export type Patient = { all: number } | { each: number } | 'endless';

/** Runs work that doesn't wait for the database for ever, with all that it calls. */
export function withPatience<T>(patient: Patient, work: () => Promise<T>): Promise<T> {
  if (patient === 'endless') return current.run(undefined, work);
  return current.run('all' in patient ? new Patience(patient.all, false) : new Patience(patient.each, true), work);
}

/** Whether the time of the work that calls this is over. */
export const isPatienceOver = (): boolean => current.getStore()?.isOver ?? false;

/** How long the work that calls this may still wait, in milliseconds; nothing where there is no limit. */
export const patienceLeftMs = (): number | undefined => current.getStore()?.left();

/** Takes a connection for the work that calls this, within its time. */
export async function acquirePatiently<C extends Abandonable>(
  get: () => Promise<C>,
  giveBack: (connection: C) => void,
): Promise<C> {
  const patience = current.getStore();
  if (!patience) return get();
  const connection = await patience.acquire(get, giveBack);
  holders.set(connection, patience);
  return connection;
}

/** A connection is nobody's any more. */
export function releasePatiently(connection: Abandonable): void {
  holders.get(connection)?.release(connection);
  holders.delete(connection);
}
