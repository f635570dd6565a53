import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../errors.js';

/** Maximum number of concurrent transactions of this process for one course: while one commits, the next begins. */
const concurrency = 2;

const limits = new Map<string, LimitFunction>();

/**
 * Runs work that locks a course. If a whole class enrolls at once, most of its requests wait here instead of in the database. Waiting
 * work occupies no connection and doesn't count towards the request's database deadline.
 * @throws AppError `OVERLOADED` if the database fails while the work waits, and the errors of `work`
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
    // Refuses all waiting work: without a database, it would fail, one after the other.
    if (error instanceof AppError && error.code.startsWith('DATABASE_')) limit.clearQueue();
    throw error;
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) limits.delete(courseId);
  }
}
