import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import { AppError } from '../../errors.js';
import { type EnrollmentStatus, rulesOf, seatStatuses } from '../../schemas/enrollment-statuses.js';
import type { Core } from '../core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/**
 * The seats of courses: they are counted, never stored. What reserves a seat or changes the limit has locked the course; what
 * frees one has not, because others wait for this lock to enroll.
 */

/** The seats that new enrollments with a status take. */
export const seatsFor = (status: EnrollmentStatus, enrollments: number): number =>
  rulesOf(status).takesSeat ? enrollments : 0;

/** Counts the reserved seats of courses, by id; courses without any are left out. */
async function countSeats(core: Core, courseIds: readonly string[], transaction?: Transaction) {
  if (courseIds.length === 0) return new Map<string, number>();
  const counts = await core.database.models.Enrollment.count({
    where: { courseId: [...courseIds], status: seatStatuses },
    group: ['courseId'],
    ...(transaction && { transaction }),
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Adds the number of reserved seats and of those who wait to courses, with one query for all of them. */
export async function addSeats(core: Core, courses: readonly Course[]): Promise<void> {
  if (courses.length === 0) return;
  const counts = await core.database.read(() =>
    core.database.models.Enrollment.count({
      where: { courseId: courses.map(({ id }) => id), status: [...seatStatuses, 'waiting'] },
      group: ['courseId', 'status'],
    }),
  );
  const counted = new Map(courses.map((course) => [course.id, course]));
  for (const course of courses) Object.assign(course, { seatsTaken: 0, waitingCount: 0 });
  for (const { courseId, status, count } of counts) {
    const course = counted.get(String(courseId));
    if (!course) continue;
    if (status === 'waiting') course.waitingCount = count;
    else course.seatsTaken = (course.seatsTaken ?? 0) + count;
  }
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

/** The refusal of more enrollments than a course has seats left. It says how many of both, where some could be enrolled. */
export function courseFull(seatsLeft: number, wanted: number): AppError {
  if (seatsLeft <= 0 || wanted === 1) return new AppError('COURSE_FULL');
  const seats = seatsLeft === 1 ? '1 seat' : `${seatsLeft} seats`;
  return new AppError(
    'COURSE_FULL',
    `The course has ${seats} left, and ${wanted} trainees would be enrolled: none was. Choose fewer, or raise its maximum.`,
    { params: { seatsLeft } },
  );
}

/** Refuses more enrollments than a locked course has seats left. @param reserved its seats @throws AppError `COURSE_FULL` */
function assertSeatsLeft({ maxStudents }: Pick<Course, 'maxStudents'>, reserved: number, wanted: number): void {
  if (maxStudents !== null && reserved + wanted > maxStudents) throw courseFull(maxStudents - reserved, wanted);
}

/** Reserves seats of a course for enrollments of the same transaction. @throws AppError `COURSE_FULL` */
export async function reserveSeats(
  core: Core,
  course: Pick<Course, 'id' | 'maxStudents'>,
  wanted: number,
  transaction: Transaction,
): Promise<void> {
  if (wanted === 0) return;
  // Without a limit too: a transaction on another node may be setting one.
  await forceIncrementCourseVersions(core, [course.id], transaction);
  if (course.maxStudents === null) return;
  const counted = await countSeats(core, [course.id], transaction);
  assertSeatsLeft(course, counted.get(course.id) ?? 0, wanted);
}
