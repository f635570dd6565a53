import { AppError } from '../errors.js';

/** How much may wait. */
export interface QueueBounds {
  entries: number;
  /** What the files of all that wait may have together: they lie on the disk meanwhile. */
  bytes: number;
  /** Entries of one account. */
  entriesEach: number;
  /** How long an entry may wait, in milliseconds. */
  waitMs: number;
}

/** Work that waits: whose it is, how many bytes of disk it keeps, and who may take it back. */
export interface QueueTicket {
  account: string;
  bytes: number;
  /** Takes the entry out of the queue; work that has begun is told by the same signal. */
  signal?: AbortSignal | undefined;
}

interface Entry {
  account: string;
  bytes: number;
  begin(): Promise<void>;
  refuse(error: AppError): void;
}

/** Does one piece of work at a time. */
export interface FairQueue {
  /** @throws AppError `OVERLOADED`, `INTERRUPTED`, and what `work` throws */
  add<T>(ticket: QueueTicket, work: () => Promise<T>): Promise<T>;
  /** Refuses all that wait, and whatever comes. */
  close(): void;
}

const refused = () => new AppError('OVERLOADED');

/**
 * A bounded queue that no account has for itself: accounts take turns, and where it is full, the account with most entries
 * loses its newest.
 */
export function createFairQueue(bounds: QueueBounds): FairQueue {
  /** The entries of each account, the account whose turn it is first. */
  const waiting = new Map<string, Entry[]>();
  let isWorking = false;
  let isClosed = false;

  const all = () => [...waiting.values()].flat();

  function remove(entry: Entry): void {
    const rest = (waiting.get(entry.account) ?? []).filter((one) => one !== entry);
    if (rest.length > 0) waiting.set(entry.account, rest);
    else waiting.delete(entry.account);
  }

  async function workOn(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (let [entries] = waiting.values(); entries?.[0]; [entries] = waiting.values()) {
      const [entry, ...rest] = entries;
      // Its account comes after all others again.
      waiting.delete(entry.account);
      if (rest.length > 0) waiting.set(entry.account, rest);
      await entry.begin();
    }
    isWorking = false;
  }

  function makeRoom(): void {
    // A file by itself may be as large as it was allowed to come.
    const isFull = (entries: readonly Entry[]) =>
      entries.length > bounds.entries ||
      (entries.length > 1 && entries.reduce((sum, { bytes }) => sum + bytes, 0) > bounds.bytes);
    while (isFull(all())) {
      // Of those with equally many, the one that came last.
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
        const takeBack = () => entry.refuse(new AppError('INTERRUPTED'));
        const late = setTimeout(() => entry.refuse(refused()), bounds.waitMs);
        const stopWaiting = () => {
          clearTimeout(late);
          signal?.removeEventListener('abort', takeBack);
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
        signal?.addEventListener('abort', takeBack, { once: true });
        waiting.set(account, [...own, entry]);
        makeRoom();
        void workOn();
      });
    },

    close() {
      isClosed = true;
      for (const entry of all()) entry.refuse(refused());
    },
  };
}
