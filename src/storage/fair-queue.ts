import { AppError } from '../errors.js';

/** The limits of the queue. */
export interface QueueBounds {
  entries: number;
  /** The total size of the files of all entries, which wait on the disk. */
  bytes: number;
  /** The limit of entries for one account. */
  entriesEach: number;
  /** How long an entry may wait, in milliseconds. */
  waitMs: number;
}

/** An entry's account, its bytes on the disk, and a signal that cancels it. */
export interface QueueTicket {
  account: string;
  bytes: number;
  /** Removes the entry from the queue; running work gets the same signal. */
  signal?: AbortSignal | undefined;
}

interface Entry {
  account: string;
  bytes: number;
  begin(): Promise<void>;
  refuse(error: AppError): void;
}

/** Runs one entry at a time. */
export interface FairQueue {
  /** @throws AppError `OVERLOADED`, `INTERRUPTED`, and what `work` throws */
  add<T>(ticket: QueueTicket, work: () => Promise<T>): Promise<T>;
  /** Refuses all waiting and future entries. */
  close(): void;
}

const refused = () => new AppError('OVERLOADED');

/**
 * A bounded queue, fair between accounts: it serves them round robin. When it is full, the account with the most entries
 * loses its newest one.
 */
export function createFairQueue(bounds: QueueBounds): FairQueue {
  /** The entries by account, the next account first. */
  const waiting = new Map<string, Entry[]>();
  let isWorking = false;
  let isClosed = false;

  const all = () => [...waiting.values()].flat();

  function remove(entry: Entry): void {
    const rest = (waiting.get(entry.account) ?? []).filter((one) => one !== entry);
    if (rest.length > 0) waiting.set(entry.account, rest);
    else waiting.delete(entry.account);
  }

  async function run(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let [entries] = waiting.values(); entries?.[0]; [entries] = waiting.values()) {
      const [entry, ...rest] = entries;
      // Moves its account behind all others.
      waiting.delete(entry.account);
      if (rest.length > 0) waiting.set(entry.account, rest);
      await entry.begin();
    }
    isWorking = false;
  }

  function dropExcess(): void {
    // A single file may exceed the limit: uploads have a limit of their own.
    const isFull = (entries: readonly Entry[]) =>
      entries.length > bounds.entries ||
      (entries.length > 1 && entries.reduce((sum, { bytes }) => sum + bytes, 0) > bounds.bytes);
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
      if (signal?.aborted) return Promise.reject(new AppError('INTERRUPTED'));
      const own = waiting.get(account) ?? [];
      if (isClosed || own.length >= bounds.entriesEach) return Promise.reject(refused());
      return new Promise<T>((resolve, reject) => {
        const cancel = () => entry.refuse(new AppError('INTERRUPTED'));
        const late = setTimeout(() => entry.refuse(refused()), bounds.waitMs);
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
        void run();
      });
    },

    close() {
      isClosed = true;
      for (const entry of all()) entry.refuse(refused());
    },
  };
}
