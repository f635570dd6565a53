import { setTimeout as sleep } from 'node:timers/promises';
import type Joi from 'joi';
import pLimit from 'p-limit';
import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';
import type { Operation } from '../api/operation.js';

/** Bounds costly work of small requests: responses that need much memory, and operations that take long. */
export interface CostlyWork {
  /**
   * Waits until a response of at most `bytes` may be built. Building it needs several times as much memory for rows,
   * presented objects and JSON. The caller must call the result when the response has ended.
   * @throws AppError `OVERLOADED`, the reason of the signal
   */
  admitLargeResponse(request: CostlyRequest, bytes: number): Promise<EndLargeResponse>;
  /**
   * Runs an operation that may take minutes, when few such operations are running.
   * @throws AppError `OVERLOADED`, the reason of the signal, and what `work` throws
   */
  runLongOperation<T>(request: CostlyRequest, work: () => Promise<T>): Promise<T>;
  /** Yields the pieces of an export. The service produces one piece at a time for all exports together. */
  limitExport<T>(pieces: AsyncIterable<T>): AsyncGenerator<T>;
}

export interface CostlyRequest {
  /** Account, or network of a client without an account. */
  owner: string;
  /** Aborted when the client has left; its reason is thrown. */
  signal: AbortSignal;
}

/** Reports that a response has been sent or has failed. */
export type EndLargeResponse = (outcome: { bytes: number } | { error: unknown }) => void;

/** Smaller responses don't wait, because the number of running requests bounds them. */
const smallResponseBytes = 2_000_000;
/** Two full pages of the catalogue with texts at their maximum length. */
const largeLimits = { capacity: 27_000_000, entries: 200, entriesPerOwner: 60, waitMs: 5000 };
const longLimits = { capacity: 2, entries: 50, entriesPerOwner: 10, waitMs: 5000 };
/**
 * Pauses in which other requests are served: after a large response, and between pieces of exports. A pause is `factor`
 * times as long as the response or piece took, up to `longestMs`.
 */
const [largePause, piecePause] = [
  { factor: 3, longestMs: 1000 },
  { factor: 1, longestMs: 250 },
];

/** Returns the maximum number of items in a response; undefined for operations without large pages. */
export function pageLength({ itemBytes, query }: Operation, requested: { limit?: unknown }): number | undefined {
  if (itemBytes === undefined || !query) return undefined;
  const limit = query.extract('limit') as Joi.NumberSchema;
  // Other values than permitted numbers need no memory, because the handler refuses them.
  const { value, error } = limit.validate(requested.limit) as Joi.ValidationResult<number>;
  return error ? undefined : value;
}

const pauseSince = (startedAt: number, { factor, longestMs }: typeof largePause) =>
  sleep(Math.min(factor * (performance.now() - startedAt), longestMs), undefined, { ref: false });

export function createCostlyWork(): CostlyWork {
  const large = createFairQueue(largeLimits);
  const long = createFairQueue(longLimits);
  const pieceLimit = pLimit(1);

  async function nextPiece<T>(source: AsyncIterator<T>): Promise<IteratorResult<T>> {
    const startedAt = performance.now();
    const piece = await source.next();
    if (pieceLimit.pendingCount > 0) await pauseSince(startedAt, piecePause);
    return piece;
  }

  return {
    async admitLargeResponse({ owner, signal }, bytes) {
      if (bytes <= smallResponseBytes) return () => undefined;
      // The queue entry runs until the caller reports the end of the response.
      return new Promise<EndLargeResponse>((resolve, reject) => {
        const build = async () => {
          const startedAt = performance.now();
          const outcome = await new Promise<Parameters<EndLargeResponse>[0]>((end) => resolve(end));
          if ('bytes' in outcome && outcome.bytes > smallResponseBytes) await pauseSince(startedAt, largePause);
          // Refuses all waiting responses at once if the database fails. Otherwise they would fail one after the other.
          if ('error' in outcome && outcome.error instanceof AppError && outcome.error.code.startsWith('DATABASE_'))
            large.refuseWaiting();
        };
        large.run({ owner, weight: bytes, signal }, build).catch(reject);
      });
    },

    runLongOperation: (request, work) => long.run(request, work),

    async *limitExport(pieces) {
      const source = pieces[Symbol.asyncIterator]();
      const next = () => pieceLimit(() => nextPiece(source));
      try {
        for (let piece = await next(); !piece.done; piece = await next()) yield piece.value;
      } finally {
        await source.return?.();
      }
    },
  };
}
