import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { coursesToPromoteIn } from '../../db/sql/waiting-list.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import { auditedEnrollment, changesBetween, recordAudit } from '../audit/audit.js';
import { type Core, program } from '../core.js';
import { hasEnded, today } from '../dates.js';
import { countReservedSeats } from '../locks/capacity.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { queueDigest, queueNews } from '../mail/news.js';

/** The most who get seats in one transaction: meanwhile others who enroll in the course wait. */
const atOnce = 500;

const notYet = 'free seats are not given to those who wait yet';

/** One step of a promotion. */
interface Step {
  /** Who was next. */
  next: number;
  /** Who of them got a seat: others have left the list, or were deactivated, since they were read. */
  promoted: number;
}

/**
 * Gives the free seats of courses to those who wait first. For the end of whatever frees seats, after its commit: its failure is
 * logged and left to the next run of {@link promoteAll}, for what has freed the seat is done. Newcomers get no seat meanwhile.
 * @param courseIds all courses by default
 */
export async function promote(core: Core, courseIds?: readonly string[]): Promise<void> {
  const among = courseIds && [...new Set(courseIds)];
  if (among?.length === 0) return;
  try {
    const wanted = { day: today(core), seatStatuses, ...(among && { among }) };
    await promoteInEach(core, await coursesToPromoteIn(core.database, wanted));
  } catch (error) {
    core.logger.warn({ err: error, courses: among }, notYet);
  }
}

/** Gives all free seats to those who wait: what time frees, and what a process that died has left. */
export async function promoteAll(core: Core, signal: AbortSignal): Promise<{ promoted: number }> {
  const courseIds = await coursesToPromoteIn(core.database, { day: today(core), seatStatuses });
  return { promoted: await promoteInEach(core, courseIds, signal) };
}

/** Gives all free seats of courses. The failure of one is logged, and left to the next run. */
async function promoteInEach(core: Core, courseIds: readonly string[], signal?: AbortSignal): Promise<number> {
  let promoted = 0;
  for (const id of courseIds)
    try {
      for (let next = 1; next > 0 && !signal?.aborted; ) {
        const step = await promoteNext(core, id);
        next = step.next;
        promoted += step.promoted;
      }
    } catch (error) {
      core.logger.warn({ err: error, courses: [id] }, notYet);
    }
  return promoted;
}

/** Gives seats to those who wait first in a course, as many as are free. */
const promoteNext = (core: Core, courseId: string): Promise<Step> =>
  inCourseQueue(courseId, () =>
    core.database.inTransaction(async (transaction) => {
      const next = await whoIsNext(core, courseId, transaction);
      if (!next) return { next: 0, promoted: 0 };
      const promoted = await lockPromoted(core, next.enrollments, transaction);
      if (promoted.length > 0) await giveSeats(core, next.course, promoted, transaction);
      return { next: next.enrollments.length, promoted: promoted.length };
    }),
  );

/** Locks a course, and reads who gets its free seats; nothing where nobody does. */
async function whoIsNext(
  core: Core,
  courseId: string,
  transaction: Transaction,
): Promise<{ course: Course; enrollments: Enrollment[] } | undefined> {
  const { Course, Enrollment, User } = core.database.models;
  const course = await Course.findByPk(courseId, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course?.isPublished || hasEnded(course, today(core))) return undefined;
  const reserved = (await countReservedSeats(core, [courseId], transaction)).get(courseId) ?? 0;
  const seatsLeft = (course.maxStudents ?? Number.POSITIVE_INFINITY) - reserved;
  if (seatsLeft <= 0) return undefined;
  const enrollments = await Enrollment.findAll({
    attributes: ['id', 'userId'],
    where: { courseId, status: 'waiting' },
    include: { model: User, as: 'user', attributes: [], where: { isActive: true } },
    order: [['waitingNumber', 'ASC']],
    limit: Math.min(seatsLeft, atOnce),
    transaction,
  });
  return enrollments.length === 0 ? undefined : { course, enrollments };
}

/** Locks people, then their enrollments. @returns those that still wait for a seat that they can get */
async function lockPromoted(
  core: Core,
  enrollments: readonly Enrollment[],
  transaction: Transaction,
): Promise<Enrollment[]> {
  const userIds = enrollments.map(({ userId }) => userId);
  const people = await forceIncrementUserVersions(core, userIds, transaction);
  const active = new Set(people.filter(({ isActive }) => isActive).map(({ id }) => id));
  const locked = await core.database.models.Enrollment.findAll({
    where: { id: enrollments.map(({ id }) => id), status: 'waiting' },
    order: ['id'],
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  return locked.filter(({ userId }) => active.has(userId));
}

/** Gives seats to people of a locked course who wait, and tells them, and the trainer whose answer they need. */
async function giveSeats(
  core: Core,
  { autoAccept, trainerId }: Course,
  promoted: readonly Enrollment[],
  transaction: Transaction,
): Promise<void> {
  const status = autoAccept ? 'active' : 'pending';
  const seat = { status, enrolledAt: core.now(), waitingNumber: null } as const;
  const records = promoted.map((enrollment) => {
    const before = auditedEnrollment(enrollment);
    enrollment.set(seat);
    const changes = changesBetween(before, auditedEnrollment(enrollment));
    return { action: 'enrollment.status', targetType: 'enrollment', targetId: enrollment.id, ...changes } as const;
  });
  const ids = promoted.map(({ id }) => id);
  await core.database.models.Enrollment.update(seat, { where: { id: ids }, transaction });
  await recordAudit(core, program, records, transaction);
  await queueNews(core, program, 'moved_up', promoted, transaction);
  if (status === 'pending') await queueDigest(core, trainerId, transaction);
}
