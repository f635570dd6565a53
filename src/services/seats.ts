import type { Transaction } from 'sequelize';
import { AppError } from '../errors.js';
import type { Core } from './core.js';

/** The enrollments that take a seat. */
export const seatedStatuses = ['pending', 'active'] as const;

/**
 * How many seats of the courses are taken. Until the transaction ends nobody else can take one: the courses' rows are
 * changed, not only locked, because a lock holds on one node of a cluster only, while of two changes one fails.
 */
export async function takenSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  const { Course, Enrollment } = core.database.models;
  await Course.increment('seatVersion', { where: { id: [...courseIds] }, silent: true, transaction });
  const counts = await Enrollment.count({
    where: { courseId: [...courseIds], status: [...seatedStatuses] },
    group: ['courseId'],
    transaction,
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Keeps so many seats of a course for the transaction. @throws AppError `COURSE_FULL` */
export async function takeSeats(
  core: Core,
  course: { id: string; maxStudents: number | null },
  wanted: number,
  transaction: Transaction,
): Promise<void> {
  if (course.maxStudents === null || wanted === 0) return;
  const taken = (await takenSeats(core, [course.id], transaction)).get(course.id) ?? 0;
  if (taken + wanted > course.maxStudents) throw new AppError('COURSE_FULL');
}
