import { AppError } from './errors.js';

/*
 * The one queue of the service: requests, hashes, images, large responses and long operations wait in it. It serves owners
 * (accounts, or the networks of clients) round robin, so one with many entries keeps another waiting no longer than one with one.
 */

/** The limits of a queue. A weight counts requests, cores, bytes or operations, as its user likes. */
export interface QueueLimits {
  /** The weight that runs at the same time; one entry always does. */
  capacity: number;
  /** Entries that may wait. When there are more, the owner with the most loses its newest one. */
  entries: number;
  entriesPerOwner?: number;
  /** The weight that may wait; one entry always may. */
  waitingWeight?: number;
  /** How long an entry may wait, in milliseconds, also as a function of the milliseconds since the queue was empty. */
  waitMs: number | ((sinceEmptyMs: number) => number);
  /** The weight that one owner may have running while entries of others come. */
  share?: number;
}

/** Who waits, and with what. */
export interface EntryOptions {
  owner: string;
  weight?: number;
}

/** An entry of the queue, from its beginning to its end. */
export interface QueueEntry {
  /** Resolves when it may begin. @throws AppError `OVERLOADED`, or why it was cancelled */
  readonly ready: Promise<void>;
  /** Lets others run while this entry waits for something else. */
  release(): void;
  /** Runs on after `release`, at once. */
  reacquire(): void;
  /** Cancels an entry that waits; one that runs is not affected. */
  cancel(error: AppError): void;
  /** Ends the entry. */
  leave(): void;
}

export interface FairQueue {
  /** Joins the queue; the caller has to leave it. */
  enter(ticket: EntryOptions): QueueEntry;
  /**
   * Runs work when its place is ready.
   * @param ticket its signal cancels it while it waits
   * @throws AppError `OVERLOADED`, the reason of the signal, and what `work` throws
   */
  run<T>(ticket: EntryOptions & { signal?: AbortSignal | undefined }, work: () => Promise<T>): Promise<T>;
  /** Refuses all entries that wait. */
  refuseWaiting(): void;
  /** Refuses all entries that wait and all later ones. */
  close(): void;
  /** The weight that runs, and the number of entries that wait. */
  load(): { running: number; waiting: number };
}

/** Why work was cancelled: the reason of the signal where it is one of ours. */
export const cancellationError = ({ reason }: AbortSignal): AppError =>
  reason instanceof AppError ? reason : new AppError('INTERRUPTED');

/** How long an owner counts as coming, in milliseconds. */
const recentMs = 60_000;

/** Remembers the last two owners. */
function createArrivals() {
  const none = { owner: '', at: Number.NEGATIVE_INFINITY };
  let [last, before] = [none, none];
  return {
    record(owner: string): void {
      if (owner !== last.owner) before = last;
      last = { owner, at: performance.now() };
    },
    hasOthers: (owner: string) => performance.now() - (last.owner === owner ? before : last).at < recentMs,
  };
}

interface InternalEntry extends Required<EntryOptions> {
  state: 'waiting' | 'running' | 'released' | 'ended';
  /** Settle its promise. */
  begin(): void;
  refuse(error: AppError): void;
  /** Refuses it when it has waited for too long. */
  deadline?: NodeJS.Timeout;
}

const overloadedError = () => new AppError('OVERLOADED');

export function createFairQueue({
  capacity,
  entries: maxEntries,
  entriesPerOwner = maxEntries,
  waitingWeight: maxWaitingWeight = Number.POSITIVE_INFINITY,
  waitMs,
  share = Number.POSITIVE_INFINITY,
}: QueueLimits): FairQueue {
  /** The waiting entries of each owner, the next owner first. */
  const waitingByOwner = new Map<string, InternalEntry[]>();
  const runningOf = new Map<string, number>();
  const arrivals = createArrivals();
  let [running, waiting, waitingWeight, lastEmptyAt] = [0, 0, 0, 0];
  let isScheduled = false;
  let isClosed = false;

  function count({ owner, weight }: InternalEntry, sign: 1 | -1): void {
    running += sign * weight;
    const own = (runningOf.get(owner) ?? 0) + sign * weight;
    if (own > 0) runningOf.set(owner, own);
    else runningOf.delete(owner);
  }

  function addWaiting(entry: InternalEntry, line: InternalEntry[]): void {
    if (waiting === 0) lastEmptyAt = performance.now();
    waitingByOwner.set(entry.owner, line);
    line.push(entry);
    waiting += 1;
    waitingWeight += entry.weight;
  }

  function removeWaiting(entry: InternalEntry): void {
    clearTimeout(entry.deadline);
    const line = waitingByOwner.get(entry.owner) ?? [];
    line.splice(line.indexOf(entry), 1);
    if (line.length === 0) waitingByOwner.delete(entry.owner);
    waiting -= 1;
    waitingWeight -= entry.weight;
  }

  function cancel(entry: InternalEntry, error: AppError): void {
    if (entry.state !== 'waiting') return;
    entry.state = 'ended';
    removeWaiting(entry);
    entry.refuse(error);
  }

  const hasShare = (owner: string) => (runningOf.get(owner) ?? 0) < share || !arrivals.hasOthers(owner);

  function runNext(): void {
    // An owner that is moved behind all others is met again by this loop.
    for (const [owner, line] of waitingByOwner) {
      const [next] = line;
      if (!next || (running > 0 && running + next.weight > capacity)) return;
      if (!hasShare(owner)) continue;
      removeWaiting(next);
      waitingByOwner.delete(owner);
      if (line.length > 0) waitingByOwner.set(owner, line);
      next.state = 'running';
      count(next, 1);
      next.begin();
    }
  }

  /** Later, outside the work of another entry, which may take its place again at once. */
  function runSoon(): void {
    if (isScheduled || waiting === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      runNext();
    });
  }

  function dropExcess(): void {
    while (waiting > maxEntries || (waiting > 1 && waitingWeight > maxWaitingWeight)) {
      // Of owners with equally many entries, the last one.
      let longest: InternalEntry[] = [];
      for (const line of waitingByOwner.values()) if (line.length >= longest.length) longest = line;
      const newest = longest.at(-1);
      if (newest) cancel(newest, overloadedError());
    }
  }

  function join(entry: InternalEntry): void {
    const line = waitingByOwner.get(entry.owner) ?? [];
    if (isClosed || line.length >= entriesPerOwner) return void entry.refuse(overloadedError());
    entry.state = 'waiting';
    if (share < capacity) arrivals.record(entry.owner);
    addWaiting(entry, line);
    runNext();
    // It may run by now, which the compiler doesn't see.
    if ((entry as InternalEntry).state !== 'waiting') return;
    const longestMs = typeof waitMs === 'number' ? waitMs : waitMs(performance.now() - lastEmptyAt);
    entry.deadline = setTimeout(() => cancel(entry, overloadedError()), longestMs);
    dropExcess();
  }

  function enter({ owner, weight = 1 }: EntryOptions): QueueEntry {
    const entry: InternalEntry = { owner, weight, state: 'ended', begin: () => undefined, refuse: () => undefined };
    const ready = new Promise<void>((resolve, reject) => {
      join(Object.assign(entry, { begin: resolve, refuse: reject }));
    });
    function change(from: InternalEntry['state'], to: InternalEntry['state'], sign: 1 | -1): void {
      if (entry.state !== from) return;
      entry.state = to;
      count(entry, sign);
      runSoon();
    }
    return {
      ready,
      release: () => change('running', 'released', -1),
      reacquire: () => change('released', 'running', 1),
      cancel: (error) => cancel(entry, error),
      leave() {
        cancel(entry, new AppError('INTERRUPTED'));
        change('running', 'ended', -1);
        entry.state = 'ended';
      },
    };
  }

  function refuseWaiting(): void {
    for (const entry of [...waitingByOwner.values()].flat()) cancel(entry, overloadedError());
  }

  return {
    enter,
    async run({ signal, ...ticket }, work) {
      if (signal?.aborted) throw cancellationError(signal);
      const place = enter(ticket);
      const abort = () => signal && place.cancel(cancellationError(signal));
      signal?.addEventListener('abort', abort, { once: true });
      try {
        await place.ready;
        return await work();
      } finally {
        signal?.removeEventListener('abort', abort);
        place.leave();
      }
    },
    refuseWaiting,
    close() {
      isClosed = true;
      refuseWaiting();
    },
    load: () => ({ running, waiting }),
  };
}
