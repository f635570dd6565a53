import { AppError } from './errors.js';

/*
 * Queue for requests, hashes, images, large responses and long operations. Each entry belongs to an owner: an account, or the
 * network of a client. The queue serves owners round robin. Therefore the entries of one owner don't delay the other owners.
 */

/** Limits of a queue. Each user of the queue chooses the unit of weights: requests, cores, bytes or operations. */
export interface QueueLimits {
  /** Maximum weight of running entries; a single entry may exceed it. */
  capacity: number;
  /**
   * Maximum number of waiting entries. When it is exceeded, the newest entry of the owner with the most entries is refused.
   */
  entries: number;
  entriesPerOwner?: number;
  /** Maximum weight of waiting entries; a single entry may exceed it. */
  waitingWeight?: number;
  /**
   * Maximum waiting time in milliseconds, or a function that returns it. Its argument is the time since the queue was last
   * empty.
   */
  waitMs: number | ((sinceEmptyMs: number) => number);
  /** Maximum weight of running entries of one owner while other owners are active: see {@link recentMs}. */
  share?: number;
}

export interface EntryOptions {
  owner: string;
  weight?: number;
}

/** Handle of an entry, until the entry leaves the queue. */
export interface QueueEntry {
  /** Resolves when the entry may run. Rejects with an AppError: `OVERLOADED`, or the error given to `cancel`. */
  readonly ready: Promise<void>;
  /** Frees the capacity of this entry while its work waits for something else. */
  release(): void;
  /** Takes the capacity back after `release`, without waiting. */
  reacquire(): void;
  /** Cancels a waiting entry; a running entry is not affected. */
  cancel(error: AppError): void;
  /** Ends the entry, even if it is still waiting. */
  leave(): void;
}

export interface FairQueue {
  /** Adds an entry; the caller must call its `leave`. */
  enter(options: EntryOptions): QueueEntry;
  /**
   * Runs work when its entry is ready.
   * @param options the `signal` cancels a waiting entry
   * @throws AppError `OVERLOADED`, the reason of the signal, and what `work` throws
   */
  run<T>(options: EntryOptions & { signal?: AbortSignal | undefined }, work: () => Promise<T>): Promise<T>;
  /** Refuses all waiting entries. */
  refuseWaiting(): void;
  /** Refuses all waiting entries and all later entries. */
  close(): void;
  /** Weight of running entries, and number of waiting entries. */
  load(): { running: number; waiting: number };
}

/** Returns the reason of an aborted signal if it is an AppError, otherwise `INTERRUPTED`. */
export const cancellationError = ({ reason }: AbortSignal): AppError =>
  reason instanceof AppError ? reason : new AppError('INTERRUPTED');

/** Time after its last entry for which an owner counts as active, in milliseconds. */
const recentMs = 60_000;

/** Remembers the last two owners that added entries. */
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
  /** Resolves `ready`. */
  begin(): void;
  /** Rejects `ready`. */
  refuse(error: AppError): void;
  /** Refuses the entry when its waiting time ends. */
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
  /** Waiting entries by owner, in the order in which the owners are served. */
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

  function addWaiting(entry: InternalEntry, entries: InternalEntry[]): void {
    if (waiting === 0) lastEmptyAt = performance.now();
    waitingByOwner.set(entry.owner, entries);
    entries.push(entry);
    waiting += 1;
    waitingWeight += entry.weight;
  }

  function removeWaiting(entry: InternalEntry): void {
    clearTimeout(entry.deadline);
    const entries = waitingByOwner.get(entry.owner) ?? [];
    entries.splice(entries.indexOf(entry), 1);
    if (entries.length === 0) waitingByOwner.delete(entry.owner);
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
    // This loop visits an owner again after the owner was moved to the end.
    for (const [owner, entries] of waitingByOwner) {
      const [next] = entries;
      if (!next || (running > 0 && running + next.weight > capacity)) return;
      if (!hasShare(owner)) continue;
      removeWaiting(next);
      waitingByOwner.delete(owner);
      if (entries.length > 0) waitingByOwner.set(owner, entries);
      next.state = 'running';
      count(next, 1);
      next.begin();
    }
  }

  /** Runs waiting entries a moment later, because a released entry often calls `reacquire` immediately. */
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
      // If several owners have the most entries, the last of them loses its newest entry.
      let longest: InternalEntry[] = [];
      for (const entries of waitingByOwner.values()) if (entries.length >= longest.length) longest = entries;
      const newest = longest.at(-1);
      if (newest) cancel(newest, overloadedError());
    }
  }

  function join(entry: InternalEntry): void {
    const entries = waitingByOwner.get(entry.owner) ?? [];
    if (isClosed || entries.length >= entriesPerOwner) return void entry.refuse(overloadedError());
    entry.state = 'waiting';
    if (share < capacity) arrivals.record(entry.owner);
    addWaiting(entry, entries);
    runNext();
    // The entry may be running now; the compiler doesn't know that.
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
    async run({ signal, ...options }, work) {
      if (signal?.aborted) throw cancellationError(signal);
      const entry = enter(options);
      const abort = () => signal && entry.cancel(cancellationError(signal));
      signal?.addEventListener('abort', abort, { once: true });
      try {
        await entry.ready;
        return await work();
      } finally {
        signal?.removeEventListener('abort', abort);
        entry.leave();
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
