import pLimit, { type LimitFunction } from 'p-limit';
import type { Database } from '../../db/connection.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';

/** How many transactions of this process ask for the row of a course at the same time: while one commits, the next begins. */
const concurrentPerCourse = 2;

/** After so many failures in a row, those that wait needn't try. */
const failuresInRow = 3;

interface CourseQueue {
  limit: LimitFunction;
  /** How often the database has failed since it last didn't, and how. */
  failures: number;
  failure: AppError | undefined;
}

const queues = new WeakMap<Database, Map<string, CourseQueue>>();

function queueOf({ database }: Core, courseId: string): CourseQueue {
  const ofDatabase = queues.get(database) ?? new Map<string, CourseQueue>();
  queues.set(database, ofDatabase);
  const queue = ofDatabase.get(courseId) ?? { limit: pLimit(concurrentPerCourse), failures: 0, failure: undefined };
  ofDatabase.set(courseId, queue);
  return queue;
}

/** Whether the database is away, or too busy to answer in time. */
const isDatabaseFault = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'OVERLOADED' || error.code.startsWith('DATABASE_'));

/**
 * Runs work that locks a course. A class that enrolls at the same moment waits for its row one after the other: who waits here
 * occupies none of the connections that others need, and nothing of the time that a request may use the database.
 * @throws AppError what the database failed with while it waited, and what `work` throws
 */
export async function inCourseQueue<T>(core: Core, courseId: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(core, courseId);
  try {
    return await queue.limit(async () => {
      // Without a database all would fail, each later than the one before it.
      if (queue.failures >= failuresInRow && queue.failure) throw queue.failure;
      try {
        const result = await work();
        [queue.failures, queue.failure] = [0, undefined];
        return result;
      } catch (error) {
        [queue.failures, queue.failure] = isDatabaseFault(error) ? [queue.failures + 1, error] : [0, undefined];
        throw error;
      }
    });
  } finally {
    if (queue.limit.activeCount + queue.limit.pendingCount === 0) queues.get(core.database)?.delete(courseId);
  }
}
