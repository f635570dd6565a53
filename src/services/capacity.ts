import type { Transaction } from 'sequelize';
import { AppError } from '../errors.js';
import type { Core } from './core.js';
import { holdCourses } from './row-locks.js';

/** The enrollments that take a seat. */
export const seatedStatuses = ['pending', 'active'] as const;

/** How many seats of the courses are taken. Until the transaction ends nobody else can take one. */
export async function takenSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  await holdCourses(core, courseIds, transaction);
  const { Enrollment } = core.database.models;
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
  if (wanted === 0) return;
  // Without a limit the course is held all the same: another node may be setting one.
  if (course.maxStudents === null) return holdCourses(core, [course.id], transaction);
  const taken = (await takenSeats(core, [course.id], transaction)).get(course.id) ?? 0;
  if (taken + wanted > course.maxStudents) throw new AppError('COURSE_FULL');
}
