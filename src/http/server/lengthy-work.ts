import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';

/** Work that a small request can cause and that takes long: few are done at a time, for all accounts together. */
export interface LengthyWork {
  /**
   * Does the work of an operation that may take minutes, when fewer than {@link maxRunning} others are done.
   * @throws AppError `OVERLOADED` when that takes too long, `BODY_INCOMPLETE` when its client has left, and what `work` throws
   */
  run<T>(request: { account: string; signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
  /** The pieces of an export: of all exports one piece is made at a time. */
  serialized<T>(pieces: AsyncIterable<T>): AsyncGenerator<T>;
}

/** How many operations are done at the same time. */
const maxRunning = 2;
/** A few may wait for as long as a client waits for an answer. */
const bounds = { entries: 50, entriesEach: 10, waitMs: 5000, runningBytes: maxRunning };

/** While other exports wait, the next piece waits for as long as the one before it took, but no longer than this; milliseconds. */
const longestRestMs = 250;

export function createLengthyWork(): LengthyWork {
  // Its bytes are operations.
  const queue = createFairQueue(bounds);
  const onePiece = pLimit(1);

  async function nextPiece<T>(source: AsyncIterator<T>): Promise<IteratorResult<T>> {
    const startedAt = performance.now();
    const piece = await source.next();
    // The processor is for other requests too.
    if (onePiece.pendingCount > 0) await sleep(Math.min(performance.now() - startedAt, longestRestMs));
    return piece;
  }

  return {
    async run({ account, signal }, work) {
      let hasBegun = false;
      const begin = () => {
        hasBegun = true;
        return work();
      };
      try {
        return await queue.add({ account, bytes: 1, signal }, begin);
      } catch (error) {
        if (hasBegun || !signal.aborted) throw error;
        throw new AppError('BODY_INCOMPLETE', 'The client left before its request was begun.', { cause: error });
      }
    },

    async *serialized(pieces) {
      const source = pieces[Symbol.asyncIterator]();
      const next = () => onePiece(() => nextPiece(source));
      try {
        for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
      } finally {
        await source.return?.();
      }
    },
  };
}
