import { Op, type Transaction } from 'sequelize';
import { hasSeatsLeft } from '../db/conditions.js';
import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import { AppError } from '../errors.js';
import type { Core } from './core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/**
 * The seats of courses. Every course that is full has `mayBeFull`, so only courses with it are counted to find those that are:
 * - What reserves a seat or changes the limit has locked the course and counted its seats, and stores whether it is full.
 * - What frees a seat doesn't lock the course: {@link recountFreed} clears `mayBeFull` after the commit. Until then, or after
 *   a crash until the next {@link recountFullCourses}, a course has it that isn't full, and is counted for nothing.
 * - A course that is inserted without the column has it.
 */

/** The statuses of enrollments that count towards the capacity of a course. */
export const seatStatuses = ['pending', 'active'] as const;

/** Whether an enrollment takes a seat. */
export const hasSeat = ({ status }: Pick<Enrollment, 'status'>): boolean => seatStatuses.some((one) => one === status);

/** Of a course: what decides whether it is full, and what is stored of that. */
type Capacity = Pick<Course, 'id' | 'maxStudents' | 'mayBeFull'>;

/** Courses that are recounted together, at most. */
const recountBatch = 200;

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

/** Whether a course is full with so many reserved seats. */
export const isFull = ({ maxStudents }: Pick<Course, 'maxStudents'>, reserved: number): boolean =>
  maxStudents !== null && reserved >= maxStudents;

/** Stores whether locked courses are full. @param reserved the seats of each, with those that this transaction reserves */
export async function storeWhetherFull(
  { database: { models } }: Core,
  courses: readonly Capacity[],
  reserved: ReadonlyMap<string, number>,
  transaction: Transaction,
): Promise<void> {
  for (const mayBeFull of [true, false]) {
    const changed = courses.filter(
      (course) => course.mayBeFull !== mayBeFull && isFull(course, reserved.get(course.id) ?? 0) === mayBeFull,
    );
    const id = changed.map((course) => course.id);
    if (id.length > 0) await models.Course.update({ mayBeFull }, { where: { id }, silent: true, transaction });
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
  if (course.maxStudents !== null && total > course.maxStudents) throw new AppError('COURSE_FULL');
  await storeWhetherFull(core, [course], new Map([[course.id, total]]), transaction);
}

/** Clears `mayBeFull` of the courses that have seats left. @returns how many */
async function recount(core: Core, courseIds: readonly string[]): Promise<number> {
  const { sequelize, models, read, inTransaction } = core.database;
  const where = { id: [...courseIds], mayBeFull: true };
  // Most have none: they aren't locked.
  const free = await read(() =>
    models.Course.findAll({
      attributes: ['id'],
      where: { ...where, [Op.and]: [hasSeatsLeft(sequelize, seatStatuses)] },
    }),
  );
  if (free.length === 0) return 0;
  return inTransaction(async (transaction) => {
    // A course that another transaction has locked isn't waited for: one that reserves seats stores itself whether it is full.
    const locked = await models.Course.findAll({
      attributes: ['id', 'maxStudents', 'mayBeFull'],
      where: { ...where, id: free.map(({ id }) => id) },
      order: ['id'],
      lock: transaction.LOCK.UPDATE,
      skipLocked: true,
      transaction,
    });
    // In a statement after the locks, which sees all that was reserved before them.
    const ids = locked.map(({ id }) => id);
    const reserved = await countSeats(core, ids, transaction);
    await storeWhetherFull(core, locked, reserved, transaction);
    return locked.filter((course) => !isFull(course, reserved.get(course.id) ?? 0)).length;
  });
}

/**
 * Stores that courses have seats again. Called after the commit of the transaction that freed them, which is all that counts:
 * this doesn't fail.
 * @param freed enrollments that had seats
 */
export async function recountFreed(core: Core, freed: readonly Pick<Enrollment, 'courseId'>[]): Promise<void> {
  const ids = [...new Set(freed.map(({ courseId }) => courseId))];
  try {
    for (let at = 0; at < ids.length; at += recountBatch) await recount(core, ids.slice(at, at + recountBatch));
  } catch (error) {
    core.logger.warn({ err: error }, 'courses with freed seats are recounted by the next clean-up');
  }
}

/** Finds courses that have seats though `mayBeFull` is set, and clears it: after crashes. @returns how many */
export async function recountFullCourses(core: Core, signal: AbortSignal): Promise<number> {
  const { Course } = core.database.models;
  let cleared = 0;
  for (let after = ''; !signal.aborted; ) {
    const where = { mayBeFull: true, id: { [Op.gt]: after } };
    const found = await core.database.read(() =>
      Course.findAll({ attributes: ['id'], where, order: ['id'], limit: recountBatch }),
    );
    const ids = found.map(({ id }) => id);
    after = ids.at(-1) ?? '';
    if (after === '') break;
    cleared += await recount(core, ids);
  }
  return cleared;
}
