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
export interface Ticket {
  owner: string;
  weight?: number;
}

/** An entry of the queue, from its beginning to its end. */
export interface Place {
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
  enter(ticket: Ticket): Place;
  /**
   * Runs work when its place is ready.
   * @param ticket its signal cancels it while it waits
   * @throws AppError `OVERLOADED`, the reason of the signal, and what `work` throws
   */
  run<T>(ticket: Ticket & { signal?: AbortSignal | undefined }, work: () => Promise<T>): Promise<T>;
  /** Refuses all entries that wait. */
  refuseWaiting(): void;
  /** Refuses all entries that wait and all later ones. */
  close(): void;
  /** The weight that runs, and the number of entries that wait. */
  figures(): { running: number; waiting: number };
}

/** Why work was cancelled: the reason of the signal where it is one of ours. */
export const cancellationError = ({ reason }: AbortSignal): AppError =>
  reason instanceof AppError ? reason : new AppError('INTERRUPTED');

/** How long an owner counts as coming, in milliseconds. */
const comingMs = 60_000;

/** Remembers the last two owners. */
function createArrivals() {
  const none = { owner: '', at: Number.NEGATIVE_INFINITY };
  let [last, before] = [none, none];
  return {
    note(owner: string): void {
      if (owner !== last.owner) before = last;
      last = { owner, at: performance.now() };
    },
    hasOthers: (owner: string) => performance.now() - (last.owner === owner ? before : last).at < comingMs,
  };
}

interface Entry extends Required<Ticket> {
  state: 'waiting' | 'running' | 'released' | 'ended';
  /** Settle its promise. */
  begin(): void;
  refuse(error: AppError): void;
  /** Refuses it when it has waited for too long. */
  late?: NodeJS.Timeout;
}

const refused = () => new AppError('OVERLOADED');

export function createFairQueue({
  capacity,
  entries: maxEntries,
  entriesPerOwner = maxEntries,
  waitingWeight: maxWaitingWeight = Number.POSITIVE_INFINITY,
  waitMs,
  share = Number.POSITIVE_INFINITY,
}: QueueLimits): FairQueue {
  /** The waiting entries of each owner, the next owner first. */
  const lines = new Map<string, Entry[]>();
  const runningOf = new Map<string, number>();
  const arrivals = createArrivals();
  let [running, waiting, waitingWeight, emptyAt] = [0, 0, 0, 0];
  let isScheduled = false;
  let isClosed = false;

  function count({ owner, weight }: Entry, sign: 1 | -1): void {
    running += sign * weight;
    const own = (runningOf.get(owner) ?? 0) + sign * weight;
    if (own > 0) runningOf.set(owner, own);
    else runningOf.delete(owner);
  }

  function addToLine(entry: Entry, line: Entry[]): void {
    if (waiting === 0) emptyAt = performance.now();
    lines.set(entry.owner, line);
    line.push(entry);
    waiting += 1;
    waitingWeight += entry.weight;
  }

  function removeFromLine(entry: Entry): void {
    clearTimeout(entry.late);
    const line = lines.get(entry.owner) ?? [];
    line.splice(line.indexOf(entry), 1);
    if (line.length === 0) lines.delete(entry.owner);
    waiting -= 1;
    waitingWeight -= entry.weight;
  }

  function cancel(entry: Entry, error: AppError): void {
    if (entry.state !== 'waiting') return;
    entry.state = 'ended';
    removeFromLine(entry);
    entry.refuse(error);
  }

  const hasShare = (owner: string) => (runningOf.get(owner) ?? 0) < share || !arrivals.hasOthers(owner);

  function runNext(): void {
    // An owner that is moved behind all others is met again by this loop.
    for (const [owner, line] of lines) {
      const [next] = line;
      if (!next || (running > 0 && running + next.weight > capacity)) return;
      if (!hasShare(owner)) continue;
      removeFromLine(next);
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line);
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
      let longest: Entry[] = [];
      for (const line of lines.values()) if (line.length >= longest.length) longest = line;
      const newest = longest.at(-1);
      if (newest) cancel(newest, refused());
    }
  }

  function join(entry: Entry): void {
    const line = lines.get(entry.owner) ?? [];
    if (isClosed || line.length >= entriesPerOwner) return void entry.refuse(refused());
    entry.state = 'waiting';
    if (share < capacity) arrivals.note(entry.owner);
    addToLine(entry, line);
    runNext();
    // It may run by now, which the compiler doesn't see.
    if ((entry as Entry).state !== 'waiting') return;
    const longestMs = typeof waitMs === 'number' ? waitMs : waitMs(performance.now() - emptyAt);
    entry.late = setTimeout(() => cancel(entry, refused()), longestMs);
    dropExcess();
  }

  function enter({ owner, weight = 1 }: Ticket): Place {
    const entry: Entry = { owner, weight, state: 'ended', begin: () => undefined, refuse: () => undefined };
    const ready = new Promise<void>((resolve, reject) => {
      join(Object.assign(entry, { begin: resolve, refuse: reject }));
    });
    function change(from: Entry['state'], to: Entry['state'], sign: 1 | -1): void {
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
    for (const entry of [...lines.values()].flat()) cancel(entry, refused());
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
    figures: () => ({ running, waiting }),
  };
}
