import { setTimeout as sleep } from 'node:timers/promises';
import type Joi from 'joi';
import pLimit from 'p-limit';
import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';
import type { Operation } from '../api/operation.js';

/** Work that a small request can cause: responses that take much memory, and operations that take long. */
export interface CostlyWork {
  /**
   * Waits until a response of at most so many bytes may be built: rows, their presentation and the JSON take several times the
   * memory of the response until it is sent.
   * @throws AppError `OVERLOADED`, the reason of the signal
   */
  admitLargeResponse(request: CostlyRequest, bytes: number): Promise<EndLargeResponse>;
  /**
   * Does the work of an operation that may take minutes, when few others do.
   * @throws AppError `OVERLOADED`, the reason of the signal, and what `work` throws
   */
  runLongOperation<T>(request: CostlyRequest, work: () => Promise<T>): Promise<T>;
  /** The pieces of an export: of all exports one piece is made at a time. */
  serializePieces<T>(pieces: AsyncIterable<T>): AsyncGenerator<T>;
}

export interface CostlyRequest {
  /** The account, or the network of a client that has none. */
  owner: string;
  /** Aborted when its client has left, with the error that is thrown. */
  signal: AbortSignal;
}

/** To be called when a response has been sent, with its bytes, or with what it has failed with. */
export type EndLargeResponse = (outcome: { bytes: number } | { error: unknown }) => void;

/** What is smaller is built immediately: the number of running requests bounds it. */
const smallResponseBytes = 2_000_000;
/** Two full pages of the catalogue with the longest texts; who waits longer than 5 s is refused. */
const largeLimits = { capacity: 27_000_000, entries: 200, entriesPerOwner: 60, waitMs: 5000 };
const longLimits = { capacity: 2, entries: 50, entriesPerOwner: 10, waitMs: 5000 };
/** After a large response, or between pieces of exports, others have the processor for so many times as long as that took. */
const [largePause, piecePause] = [
  { factor: 3, longestMs: 1000 },
  { factor: 1, longestMs: 250 },
];

/** The most items that the response to a query can have; undefined unless it is a page that the contract calls large. */
export function pageLength({ itemBytes, query }: Operation, asked: { limit?: unknown }): number | undefined {
  if (itemBytes === undefined || !query) return undefined;
  const limit = query.extract('limit') as Joi.NumberSchema;
  // Anything else than a permitted number is refused by the service.
  const { value, error } = limit.validate(asked.limit) as Joi.ValidationResult<number>;
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
      // The place in the queue is left only when the caller says how the response ended.
      return new Promise<EndLargeResponse>((resolve, reject) => {
        const build = async () => {
          const startedAt = performance.now();
          const outcome = await new Promise<Parameters<EndLargeResponse>[0]>((end) => resolve(end));
          if ('bytes' in outcome && outcome.bytes > smallResponseBytes) await pauseSince(startedAt, largePause);
          // Without a database the others would fail too, each later than the one before it.
          if ('error' in outcome && outcome.error instanceof AppError && outcome.error.code.startsWith('DATABASE_'))
            large.refuseWaiting();
        };
        large.run({ owner, weight: bytes, signal }, build).catch(reject);
      });
    },

    runLongOperation: (request, work) => long.run(request, work),

    async *serializePieces(pieces) {
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
