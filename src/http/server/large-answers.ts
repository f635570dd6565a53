import { setTimeout as sleep } from 'node:timers/promises';
import type Joi from 'joi';
import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';
import { networkOf } from '../../services/auth/throttle-rules.js';
import type { Operation } from '../api/operation.js';

/**
 * Builds large answers a few at a time: rows, their presentation and the JSON take several times the memory of the answer
 * until it is sent. Others are built immediately.
 */
export interface LargeAnswers {
  /**
   * Builds an answer of at most so many bytes: immediately, or when the ones before it are built.
   * @param work builds and sends it; gives the bytes that it had
   * @throws AppError `OVERLOADED` when it would wait for too long, `BODY_INCOMPLETE` when its client has left
   */
  build(request: LargeRequest, work: () => Promise<number>): Promise<void>;
}

interface LargeRequest {
  /** The most that its answer can have, in bytes. */
  bytes: number;
  /** Null where unknown. */
  address: string | null;
  /** Id of the account; undefined before the login. */
  account: string | undefined;
  /** Aborted when its client has left. */
  signal: AbortSignal;
}

/** Two full pages of the catalogue with the longest texts. */
const mostBuilt = 27_000_000;
/** What is smaller is built immediately: the number of running requests bounds it. */
const ordinary = 2_000_000;
/** After a large answer the next one waits for so many times as long as that took: the processor is for other requests too. */
const restFactor = 3;
const longestRestMs = 1000;
const bounds = { entries: 200, entriesEach: 60, waitMs: 5000, runningBytes: mostBuilt };

/** The most bytes that an operation's answer to a query can have; undefined unless the contract says that it can be large. */
export function largestAnswer({ itemBytes, query }: Operation, asked: { limit?: unknown }): number | undefined {
  if (itemBytes === undefined || !query) return undefined;
  const limit = query.extract('limit') as Joi.NumberSchema;
  // Anything else than a permitted number is refused by the service.
  const { value, error } = limit.validate(asked.limit) as Joi.ValidationResult<number>;
  return error ? undefined : itemBytes * value;
}

export function createLargeAnswers(): LargeAnswers {
  const queue = createFairQueue(bounds);

  async function workAndRest(work: () => Promise<number>): Promise<void> {
    const startedAt = performance.now();
    // What could have been large seldom is.
    if ((await work()) <= ordinary) return;
    const restMs = Math.min(restFactor * (performance.now() - startedAt), longestRestMs);
    await sleep(restMs, undefined, { ref: false });
  }

  return {
    async build({ bytes, address, account, signal }, work) {
      if (bytes <= ordinary) return void (await work());
      const owner = account ?? (address === null ? '' : networkOf(address));
      try {
        await queue.add({ account: owner, bytes, signal }, () => workAndRest(work));
      } catch (error) {
        if (signal.aborted)
          throw new AppError('BODY_INCOMPLETE', 'The client left before its answer was built.', { cause: error });
        // Without a database the others would fail too, each later than the one before it.
        if (error instanceof AppError && error.code.startsWith('DATABASE_')) queue.refuseWaiting();
        throw error;
      }
    },
  };
}
