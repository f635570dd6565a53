import { AppError } from './errors.js';

/** The limits of the queue. */
export interface QueueBounds {
  entries: number;
  /** The total of the bytes of all waiting entries. */
  bytes?: number;
  /** The limit of entries for one account. */
  entriesEach: number;
  /** How long an entry may wait, in milliseconds. */
  waitMs: number;
  /** The total of the bytes of running entries; one always runs, and without this limit no other. */
  runningBytes?: number;
}

/** An entry's account, its bytes on the disk or in memory, and a signal that cancels it. */
export interface QueueTicket {
  account: string;
  bytes: number;
  /** Removes the entry from the queue; running work gets the same signal. */
  signal?: AbortSignal | undefined;
}

/** Why work was cancelled: the reason of the signal where it is one of ours. */
export const cancellationError = ({ reason }: AbortSignal): AppError =>
  reason instanceof AppError ? reason : new AppError('INTERRUPTED');

interface Entry {
  account: string;
  bytes: number;
  begin(): Promise<void>;
  refuse(error: AppError): void;
}

/** Runs one entry at a time, or as many as fit. */
export interface FairQueue {
  /** @throws AppError `OVERLOADED`, `INTERRUPTED`, and what `work` throws */
  add<T>(ticket: QueueTicket, work: () => Promise<T>): Promise<T>;
  /** Refuses all waiting entries. */
  refuseWaiting(): void;
  /** Refuses all waiting and future entries. */
  close(): void;
}

const refused = () => new AppError('OVERLOADED');

/**
 * A bounded queue, fair between accounts: it serves them round robin. When it is full, the account with the most entries
 * loses its newest one.
 */
export function createFairQueue({
  entries: maxEntries,
  bytes: maxBytes = Number.POSITIVE_INFINITY,
  entriesEach,
  waitMs,
  runningBytes: maxRunningBytes = 0,
}: QueueBounds): FairQueue {
  /** The entries by account, the next account first. */
  const waiting = new Map<string, Entry[]>();
  let running = 0;
  let runningBytes = 0;
  let isClosed = false;

  const all = () => [...waiting.values()].flat();

  function remove(entry: Entry): void {
    const rest = (waiting.get(entry.account) ?? []).filter((one) => one !== entry);
    if (rest.length > 0) waiting.set(entry.account, rest);
    else waiting.delete(entry.account);
  }

  const mayRun = ({ bytes }: Entry) => running === 0 || runningBytes + bytes <= maxRunningBytes;

  async function begin(entry: Entry): Promise<void> {
    running += 1;
    runningBytes += entry.bytes;
    await entry.begin();
    running -= 1;
    runningBytes -= entry.bytes;
    runNext();
  }

  function runNext(): void {
    for (let [entries] = waiting.values(); entries?.[0] && mayRun(entries[0]); [entries] = waiting.values()) {
      const [entry, ...rest] = entries;
      // Moves its account behind all others.
      waiting.delete(entry.account);
      if (rest.length > 0) waiting.set(entry.account, rest);
      void begin(entry);
    }
  }

  function refuseWaiting(): void {
    for (const entry of all()) entry.refuse(refused());
  }

  function dropExcess(): void {
    // A single file may exceed the limit: uploads have a limit of their own.
    const isFull = (entries: readonly Entry[]) =>
      entries.length > maxEntries ||
      (entries.length > 1 && entries.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes);
    while (isFull(all())) {
      // Of accounts with equally many entries, the last one.
      const longest = [...waiting.values()].reduce((most, one) => (one.length >= most.length ? one : most));
      const newest = longest.at(-1);
      if (!newest) return;
      newest.refuse(refused());
    }
  }

  return {
    add<T>({ account, bytes, signal }: QueueTicket, work: () => Promise<T>): Promise<T> {
      if (signal?.aborted) return Promise.reject(cancellationError(signal));
      const own = waiting.get(account) ?? [];
      if (isClosed || own.length >= entriesEach) return Promise.reject(refused());
      return new Promise<T>((resolve, reject) => {
        const cancel = () => entry.refuse(signal ? cancellationError(signal) : new AppError('INTERRUPTED'));
        const late = setTimeout(() => entry.refuse(refused()), waitMs);
        const stopWaiting = () => {
          clearTimeout(late);
          signal?.removeEventListener('abort', cancel);
        };
        const entry: Entry = {
          account,
          bytes,
          begin: () => {
            stopWaiting();
            return work().then(resolve, reject);
          },
          refuse: (error) => {
            stopWaiting();
            remove(entry);
            reject(error);
          },
        };
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.set(account, [...own, entry]);
        dropExcess();
        runNext();
      });
    },

    refuseWaiting,

    close() {
      isClosed = true;
      refuseWaiting();
    },
  };
}
