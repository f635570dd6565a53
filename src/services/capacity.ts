import type { Transaction } from 'sequelize';
import type { Course } from '../db/models/course.js';
import { AppError } from '../errors.js';
import type { Core } from './core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/** The statuses of enrollments that count towards the capacity of a course. */
export const seatStatuses = ['pending', 'active'] as const;

/** Counts the reserved seats of courses, by id; courses without any are left out. */
async function countSeats(core: Core, courseIds: readonly string[], transaction?: Transaction) {
  const counts = await core.database.models.Enrollment.count({
    where: { courseId: [...courseIds], status: [...seatStatuses] },
    group: ['courseId'],
    ...(transaction && { transaction }),
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Adds the number of reserved seats to courses, with one query for all of them. */
export async function addSeats(core: Core, courses: readonly Course[]): Promise<void> {
  if (courses.length === 0) return;
  const ids = courses.map(({ id }) => id);
  const seats = await core.database.read(() => countSeats(core, ids));
  for (const course of courses) course.seatsTaken = seats.get(course.id) ?? 0;
}

/** Counts the reserved seats of courses, by id. No other transaction can reserve one until this transaction ends. */
export async function countReservedSeats(
  core: Core,
  courseIds: readonly string[],
  transaction: Transaction,
): Promise<ReadonlyMap<string, number>> {
  await forceIncrementCourseVersions(core, courseIds, transaction);
  return countSeats(core, courseIds, transaction);
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
  assertSeatsLeft(course, reserved, wanted);
}

/** @param reserved the seats that are reserved, of a locked course @throws AppError `COURSE_FULL` */
export function assertSeatsLeft(course: { maxStudents: number | null }, reserved: number, wanted: number): void {
  if (course.maxStudents !== null && reserved + wanted > course.maxStudents) throw new AppError('COURSE_FULL');
}
