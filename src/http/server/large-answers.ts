import type Joi from 'joi';
import { AppError } from '../../errors.js';
import { createFairQueue } from '../../fair-queue.js';
import { networkOf } from '../../network.js';
import type { Operation } from '../api/operation.js';

/**
 * Large answers are built a few at a time: rows, their presentation and the JSON take several times the memory of the answer
 * until it is sent. Others are built immediately.
 */
export interface LargeAnswers {
  /**
   * Waits until an answer of at most so many bytes may be built.
   * @throws AppError `OVERLOADED` when that takes too long, `BODY_INCOMPLETE` when its client has left
   */
  enter(request: LargeRequest): Promise<LeaveLargeAnswers>;
}

/** To be called when an answer has been sent, with its bytes, or with what it has failed with. */
export type LeaveLargeAnswers = (outcome: { bytes: number } | { error: unknown }) => void;

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
const maxBuilt = 27_000_000;
/** What is smaller is built immediately: the number of running requests bounds it. */
const ordinary = 2_000_000;
/** After a large answer the next one waits for so many times as long as that took: the processor is for other requests too. */
const restFactor = 3;
const longestRestMs = 1000;
const bounds = { entries: 200, entriesEach: 60, waitMs: 5000, runningBytes: maxBuilt };

/** How many items an operation's answer to a query can have; undefined unless it is a page that the contract calls large. */
export function pageLength({ itemBytes, query }: Operation, asked: { limit?: unknown }): number | undefined {
  if (itemBytes === undefined || !query) return undefined;
  const limit = query.extract('limit') as Joi.NumberSchema;
  // Anything else than a permitted number is refused by the service.
  const { value, error } = limit.validate(asked.limit) as Joi.ValidationResult<number>;
  return error ? undefined : value;
}

/** Milliseconds that pass, and what is done when some have passed. */
interface Clock {
  now(): number;
  after(milliseconds: number, done: () => void): void;
}

const machineClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, done) => void setTimeout(done, milliseconds).unref(),
};

export function createLargeAnswers({ now, after }: Clock = machineClock): LargeAnswers {
  const queue = createFairQueue(bounds);

  /** Ends the work of an entry: immediately, or after the pause that others get. */
  function endsWork(startedAt: number, done: () => void): LeaveLargeAnswers {
    return (outcome) => {
      if ('bytes' in outcome && outcome.bytes > ordinary) {
        return after(Math.min(restFactor * (now() - startedAt), longestRestMs), done);
      }
      // Without a database the others would fail too, each later than the one before it.
      if ('error' in outcome && outcome.error instanceof AppError && outcome.error.code.startsWith('DATABASE_'))
        queue.refuseWaiting();
      done();
    };
  }

  return {
    async enter({ bytes, address, account, signal }) {
      if (bytes <= ordinary) return () => undefined;
      const owner = account ?? (address === null ? '' : networkOf(address));
      try {
        return await new Promise<LeaveLargeAnswers>((resolve, reject) => {
          const work = () => new Promise<void>((done) => resolve(endsWork(now(), done)));
          queue.add({ account: owner, bytes, signal }, work).catch(reject);
        });
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new AppError('BODY_INCOMPLETE', 'The client left before its answer was built.', { cause: error });
      }
    },
  };
}
