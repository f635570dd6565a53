import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../errors.js';

/** Transactions of this process that ask for the row of one course: while one commits, the next begins. */
const concurrency = 2;

const limits = new Map<string, LimitFunction>();

/**
 * Runs work that locks a course. A class that enrolls at the same moment waits for its row one after the other: who waits here
 * occupies none of the connections that others need, and nothing of the time that a request may use the database.
 * @throws AppError `OVERLOADED` when the database fails while it waits, and what `work` throws
 */
export async function inCourseQueue<T>(courseId: string, work: () => Promise<T>): Promise<T> {
  const limit = limits.get(courseId) ?? pLimit({ concurrency, rejectOnClear: true });
  limits.set(courseId, limit);
  let hasBegun = false;
  try {
    return await limit(() => {
      hasBegun = true;
      return work();
    });
  } catch (error) {
    if (!hasBegun) throw new AppError('OVERLOADED', undefined, { cause: error });
    // Without a database all that wait would fail, each later than the one before it.
    if (error instanceof AppError && error.code.startsWith('DATABASE_')) limit.clearQueue();
    throw error;
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) limits.delete(courseId);
  }
}
