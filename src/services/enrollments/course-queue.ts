import pLimit, { type LimitFunction } from 'p-limit';
import type { Database } from '../../db/connection.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';

/** How many transactions of this process ask for the row of a course at the same time: while one commits, the next begins. */
const concurrentPerCourse = 2;

interface CourseQueue {
  limit: LimitFunction;
  /** The failures of the database so far, and the last one. */
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
  const { failures } = queue;
  try {
    return await queue.limit(async () => {
      // Without a database all would fail, each later than the one before it.
      if (queue.failures > failures && queue.failure) throw queue.failure;
      try {
        return await work();
      } catch (error) {
        if (isDatabaseFault(error)) [queue.failures, queue.failure] = [queue.failures + 1, error];
        throw error;
      }
    });
  } finally {
    if (queue.limit.activeCount + queue.limit.pendingCount === 0) queues.get(core.database)?.delete(courseId);
  }
}
