import type { Transaction } from 'sequelize';
import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import { AppError } from '../errors.js';
import type { Core } from './core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/**
 * The seats of courses. A course that is full has `isFull`:
 * - What reserves a seat or changes the limit has locked the course and counted its seats, and stores whether it is full.
 * - What frees a seat doesn't lock the course, which others wait for to enroll. Its transaction inserts a `FreedSeat`, by which a
 *   course with `isFull` is counted; after the commit it is stored whether the course is full, and these rows are
 *   deleted (freed-seats.ts). Where that fails, the next cleanup does it.
 */

/** The statuses of enrollments that count towards the capacity of a course. */
export const seatStatuses = ['pending', 'active'] as const;

/** Whether an enrollment takes a seat. */
export const hasSeat = ({ status }: Pick<Enrollment, 'status'>): boolean => seatStatuses.some((one) => one === status);

/** Of a course: what decides whether it is full, and what was stored of that. */
type Capacity = Pick<Course, 'id' | 'maxStudents' | 'isFull'>;

/** Counts the reserved seats of courses, by id; courses without any are left out. */
export async function countSeats(core: Core, courseIds: readonly string[], transaction?: Transaction) {
  if (courseIds.length === 0) return new Map<string, number>();
  const counts = await core.database.models.Enrollment.count({
    where: { courseId: [...courseIds], status: [...seatStatuses] },
    group: ['courseId'],
    ...(transaction && { transaction }),
  });
  return new Map(counts.map(({ courseId, count }) => [String(courseId), count]));
}

/** Adds the number of reserved seats to courses, with one query for all of them. */
export async function addSeats(core: Core, courses: readonly Course[]): Promise<void> {
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

/** Whether a course is full with so many reserved seats. */
export const isFullWith = ({ maxStudents }: Pick<Course, 'maxStudents'>, reserved: number): boolean =>
  maxStudents !== null && reserved >= maxStudents;

/** The refusal of more enrollments than a course has seats left. It says how many of both, where some could be enrolled. */
export function courseFull(seatsLeft: number, wanted: number): AppError {
  if (seatsLeft <= 0 || wanted === 1) return new AppError('COURSE_FULL');
  const seats = seatsLeft === 1 ? '1 seat' : `${seatsLeft} seats`;
  return new AppError(
    'COURSE_FULL',
    `The course has ${seats} left, and ${wanted} trainees would be enrolled: none was. Choose fewer, or raise its maximum.`,
  );
}

/** Stores whether locked courses are full. @param reserved the seats of each, with those that this transaction reserves */
export async function storeWhetherFull(
  { database: { models } }: Core,
  courses: readonly Capacity[],
  reserved: ReadonlyMap<string, number>,
  transaction: Transaction,
): Promise<void> {
  for (const isFull of [true, false]) {
    const changed = courses.filter(
      (course) => course.isFull !== isFull && isFullWith(course, reserved.get(course.id) ?? 0) === isFull,
    );
    const id = changed.map((course) => course.id);
    if (id.length > 0) await models.Course.update({ isFull }, { where: { id }, silent: true, transaction });
  }
}

/** Reserves seats of a course for enrollments of the same transaction. @throws AppError `COURSE_FULL` */
export async function reserveSeats(
  core: Core,
  course: Capacity,
  wanted: number,
  transaction: Transaction,
): Promise<void> {
  if (wanted === 0) return;
  // Without a limit too: a transaction on another node may be setting one.
  await forceIncrementCourseVersions(core, [course.id], transaction);
  const counted = course.maxStudents === null ? undefined : await countSeats(core, [course.id], transaction);
  await reserveCounted(core, course, counted?.get(course.id) ?? 0, wanted, transaction);
}

/** Reserves seats of a locked course. @param reserved the seats that are reserved @throws AppError `COURSE_FULL` */
export async function reserveCounted(
  core: Core,
  course: Capacity,
  reserved: number,
  wanted: number,
  transaction: Transaction,
): Promise<void> {
  const total = reserved + wanted;
  if (course.maxStudents !== null && total > course.maxStudents)
    throw courseFull(course.maxStudents - reserved, wanted);
  await storeWhetherFull(core, [course], new Map([[course.id, total]]), transaction);
}
