import type { Transaction } from 'sequelize';
import { AppError } from '../errors.js';
import type { Core } from './core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/** The statuses of enrollments that count towards the capacity of a course. */
export const seatStatuses = ['pending', 'active'] as const;

/** Counts the reserved seats of courses, by id. No other transaction can reserve one until this transaction ends. */
export async function countReservedSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  await forceIncrementCourseVersions(core, courseIds, transaction);
  const { Enrollment } = core.database.models;
  const counts = await Enrollment.count({
    where: { courseId: [...courseIds], status: [...seatStatuses] },
    group: ['courseId'],
    transaction,
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Reserves seats of a course for enrollments of the same transaction. @throws AppError `COURSE_FULL` */
export async function reserveSeats(
  core: Core,
  course: { id: string; maxStudents: number | null },
  wanted: number,
  transaction: Transaction,
): Promise<void> {
  if (wanted === 0) return;
  // Without a limit too: a transaction on another node may be setting one.
  if (course.maxStudents === null) return forceIncrementCourseVersions(core, [course.id], transaction);
  const reserved = (await countReservedSeats(core, [course.id], transaction)).get(course.id) ?? 0;
  if (reserved + wanted > course.maxStudents) throw new AppError('COURSE_FULL');
}
