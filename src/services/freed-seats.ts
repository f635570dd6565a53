import { Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { insertRows } from '../db/bulk-insert.js';
import { hasSeatsLeft } from '../db/conditions.js';
import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import { countSeats, isFullWith, seatStatuses, storeWhetherFull } from './capacity.js';
import type { Core } from './core.js';
import { forceIncrementCourseVersions } from './row-locks.js';

/** What follows when seats of courses are freed: capacity.ts says how courses are stored as full. */

/** So many courses are counted together, at most. */
const countedTogether = 200;

/** Enrollments that had seats. */
type Freed = readonly Pick<Enrollment, 'courseId'>[];

const idsOf = (courses: readonly Pick<Course, 'id'>[]): string[] => courses.map(({ id }) => id);

const coursesOf = (freed: Freed): string[] => [...new Set(freed.map(({ courseId }) => courseId))];

/** Stores that seats of courses are freed, in the transaction that frees them: {@link settleFreed} follows its commit. */
export async function noteFreed({ database }: Core, freed: Freed, transaction: Transaction): Promise<void> {
  const notes = coursesOf(freed).map((courseId) => ({ id: uuidv7(), courseId }));
  await insertRows(database.models.FreedSeat, notes, transaction);
}

/** The courses whose seats were freed lately and that have some left: hardly ever any. To be read within `Database.read`. */
export async function coursesWithFreedSeats({ database }: Core): Promise<string[]> {
  const { sequelize, models } = database;
  const freed = await models.FreedSeat.findAll({ attributes: ['courseId'], group: ['courseId'] });
  if (freed.length === 0) return [];
  const id = freed.map(({ courseId }) => courseId);
  // Also those that aren't stored as full: a transaction that stores it may be about to commit.
  const where = { id, [Op.and]: [hasSeatsLeft(sequelize, seatStatuses)] };
  return idsOf(await models.Course.findAll({ attributes: ['id'], where }));
}

/** Stores whether courses are full. @returns how many were and are no longer */
async function settle(core: Core, courseIds: readonly string[]): Promise<number> {
  const { models, inTransaction } = core.database;
  if (courseIds.length === 0) return 0;
  return inTransaction(async (transaction) => {
    // A course that another transaction has locked isn't waited for: its rows stay.
    const courses = await models.Course.findAll({
      attributes: ['id', 'maxStudents', 'isFull'],
      where: { id: [...courseIds] },
      order: ['id'],
      lock: transaction.LOCK.UPDATE,
      skipLocked: true,
      transaction,
    });
    const ids = idsOf(courses);
    if (ids.length === 0) return 0;
    // So that it conflicts with what reserves a seat on another node of a cluster.
    await forceIncrementCourseVersions(core, ids, transaction);
    const settled = await models.FreedSeat.findAll({ attributes: ['id'], where: { courseId: ids }, transaction });
    // Counted in a later statement than these rows, so that it sees the changes that they record. Others aren't full, since
    // nobody reserves a seat now.
    const full = courses.filter(({ isFull }) => isFull);
    const reserved = await countSeats(core, idsOf(full), transaction);
    await storeWhetherFull(core, full, reserved, transaction);
    // One by one: of so small a table databases would read all rows, and wait for those that others have inserted.
    for (const { id } of settled) await models.FreedSeat.destroy({ where: { id }, transaction });
    return full.filter((course) => !isFullWith(course, reserved.get(course.id) ?? 0)).length;
  });
}

/**
 * Stores whether the courses are full whose seats were freed. Called after the commit of the transaction that freed them, which
 * is all that counts: this doesn't fail.
 */
export async function settleFreed(core: Core, freed: Freed): Promise<void> {
  const ids = coursesOf(freed);
  try {
    for (let at = 0; at < ids.length; at += countedTogether) await settle(core, ids.slice(at, at + countedTogether));
  } catch (error) {
    core.logger.warn({ err: error }, 'could not update courses with freed seats: the next cleanup tries again');
  }
}

/** Deletes what was noted of courses that are deleted since. */
async function forgetDeleted(core: Core, courseIds: readonly string[]): Promise<void> {
  const { models, read, inTransaction } = core.database;
  const existing = await read(() => models.Course.findAll({ attributes: ['id'], where: { id: [...courseIds] } }));
  const ids = new Set(idsOf(existing));
  const courseId = courseIds.filter((id) => !ids.has(id));
  if (courseId.length === 0) return;
  await inTransaction((transaction) => models.FreedSeat.destroy({ where: { courseId }, transaction }));
}

/**
 * Stores whether the courses are full whose freed seats weren't settled, after a crash, and those that were stored as full and
 * aren't, after changes by hand.
 * @returns how many were stored as full and aren't
 */
export async function settleCourses(core: Core, signal: AbortSignal): Promise<number> {
  const { sequelize, models, read } = core.database;
  /** The ids of one batch after the other. @param find at most {@link countedTogether}, in their order */
  async function* batches(find: (after: string) => Promise<string[]>): AsyncGenerator<string[]> {
    for (let after = ''; !signal.aborted; ) {
      const ids = await read(() => find(after));
      const last = ids.at(-1);
      if (last === undefined) return;
      yield ids;
      after = last;
    }
  }
  const withFreed = batches(async (after) => {
    const where = { courseId: { [Op.gt]: after } };
    const by = { attributes: ['courseId'], group: ['courseId'], order: ['courseId'], limit: countedTogether };
    return (await models.FreedSeat.findAll({ where, ...by })).map(({ courseId }) => courseId);
  });
  const storedAsFull = batches(async (after) => {
    const where = { isFull: true, id: { [Op.gt]: after } };
    const by = { attributes: ['id'], order: ['id'], limit: countedTogether };
    return idsOf(await models.Course.findAll({ where, ...by }));
  });
  let cleared = 0;
  for await (const ids of withFreed) {
    cleared += await settle(core, ids);
    await forgetDeleted(core, ids);
  }
  for await (const id of storedAsFull) {
    // Nearly all are full: they aren't locked.
    const where = { id, isFull: true, [Op.and]: [hasSeatsLeft(sequelize, seatStatuses)] };
    const free = await read(() => models.Course.findAll({ attributes: ['id'], where }));
    cleared += await settle(core, idsOf(free));
  }
  return cleared;
}
