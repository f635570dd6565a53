import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import type { Lease } from '../../db/lease.js';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { findCoursesToPromoteIn, tryLockCourse } from '../../db/sql/waiting-list.js';
import { AppError, isAppError } from '../../errors.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import { auditedEnrollment, changesBetween, recordAudit } from '../audit/audit.js';
import { type Core, programAuthor } from '../core.js';
import { countReservedSeats } from '../courses/capacity.js';
import { hasEnded, today } from '../dates.js';
import { applyEnrollmentEffects } from '../enrollments/effects.js';
import { enrollmentRecord } from '../enrollments/store.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';

/**
 * Maximum number of people who get seats in one transaction. Others who enroll in the course wait for the transaction.
 */
const stepSize = 500;

/** Database deadline of one step, in milliseconds: a stopping service waits for the step. */
const stepMs = 5000;

/** Time that a request waits for the steps in its courses, in milliseconds. */
const requestMs = 1000;

/**
 * Database deadline of a request's step, in milliseconds. The connection is broken then, but the server may still wait
 * for the lock.
 */
const requestStepMs = 4000;

const failed = 'free seats are not given to the waiting list yet';

/** Result of one step of a promotion. */
interface Step {
  promoted: number;
  /** Whether a free seat may be left for somebody on the list. */
  isDue: boolean;
}

/** Returns the courses with a free seat for somebody on the waiting list. @param among all courses by default */
export async function coursesDue(core: Core, among?: readonly string[]): Promise<string[]> {
  if (among?.length === 0) return [];
  const options = { day: today(core), seatStatuses, ...(among && { among }) };
  return core.database.withDeadline({ all: stepMs }, () => findCoursesToPromoteIn(core.database, options));
}

interface PromotionOptions {
  /** Stops the promotion between two steps. */
  signal: AbortSignal;
  /** Renewed in each step. */
  lease?: Lease;
}

/**
 * Gives all free seats of courses, in steps, one course after the other. Logs failures.
 * @returns the number of people who got seats, and the courses that are still due
 * @throws AppError `PROMOTION_RUNNING` if the lease is lost
 */
export async function promote(
  core: Core,
  courseIds: Iterable<string>,
  { signal, lease }: PromotionOptions,
): Promise<{ promoted: number; left: string[] }> {
  const due = new Set(courseIds);
  const left: string[] = [];
  let promoted = 0;
  // A course that is still due is added again at the end.
  for (const id of due) {
    if (signal.aborted) break;
    due.delete(id);
    try {
      const step = await core.database.withDeadline({ all: stepMs }, () => promoteNext(core, id, lease));
      promoted += step.promoted;
      if (step.isDue) due.add(id);
    } catch (error) {
      if (isAppError(error, 'PROMOTION_RUNNING')) throw error;
      core.logger.warn({ err: error, courses: [id] }, failed);
      left.push(id);
    }
  }
  return { promoted, left: [...due, ...left] };
}

/** Gives the free seats of courses at the terminal. @returns whether free seats are left */
export async function promoteFreed(core: Core, courseIds: readonly string[], signal: AbortSignal): Promise<boolean> {
  try {
    const { left } = await promote(core, await coursesDue(core, courseIds), { signal });
    return left.length > 0;
  } catch (error) {
    // The command itself has succeeded.
    core.logger.warn({ err: error, courses: courseIds }, failed);
    return true;
  }
}

/**
 * Runs the work of a request, then one step in each course in which the work has freed a seat. Waits at most a second
 * for the steps, so that the next reader usually finds the seat taken. The promoter does the rest.
 * @param withoutSlot lets other requests run while this one waits
 * @returns the result of the work, and whether a free seat is left for the waiting list
 */
export async function withPromotion<T>(
  core: Core,
  work: () => Promise<T>,
  withoutSlot: <R>(wait: () => Promise<R>) => Promise<R> = (wait) => wait(),
): Promise<{ result: T; isDue: boolean }> {
  const { result, courseIds } = await core.freedSeats.collect(work);
  if (courseIds.size === 0) return { result, isDue: false };
  const left = new Set(courseIds);
  const over = new AbortController();
  const late = sleep(requestMs, undefined, { signal: over.signal }).catch(() => undefined);
  const inTime = (steps: () => Promise<void>) =>
    core.database
      .withDeadline({ all: requestMs }, steps)
      .catch((error: unknown) => core.logger.warn({ err: error, courses: [...left] }, failed));
  let due: readonly string[] = [...courseIds];
  await inTime(async () => {
    due = await findCoursesToPromoteIn(core.database, { day: today(core), seatStatuses, among: due });
    for (const id of courseIds) if (!due.includes(id)) left.delete(id);
  });
  const steps = async () => {
    for (const id of due) if (!(await stepOfRequest(core, id, over.signal))) left.delete(id);
  };
  if (left.size > 0) await withoutSlot(() => Promise.race([inTime(steps), late]));
  over.abort();
  core.freedSeats.add(left);
  return { result, isDue: left.size > 0 };
}

/**
 * Runs a step for a request, in the queue of the course, where others who enroll wait, too.
 * @param over aborted when the request stops waiting; a running step continues
 * @returns whether the course is still due
 */
async function stepOfRequest(core: Core, courseId: string, over: AbortSignal): Promise<boolean> {
  const outcome = await inCourseQueue(courseId, async () => {
    if (over.aborted) return { isDue: true };
    const stepping = core.database.withDeadline({ all: requestStepMs }, () => promoteNext(core, courseId));
    // The error is thrown outside the queue, because a database error inside rejects all waiting work.
    return stepping.catch((error: unknown) => ({ isDue: true, error }));
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.isDue;
}

/** Gives the free seats to the first people of a waiting list, at most {@link stepSize}. */
const promoteNext = (core: Core, courseId: string, lease?: Lease): Promise<Step> =>
  core.database.inTransaction(async (transaction) => {
    // The promoter skips a locked course and retries it later, so that other changes don't wait for it.
    const isLocked = lease !== undefined && !(await tryLockCourse(core.database, courseId, transaction));
    const next = isLocked ? undefined : await nextInLine(core, courseId, transaction);
    if (!next) return { promoted: 0, isDue: false };
    const promoted = await lockPromoted(core, next.enrollments, transaction);
    if (promoted.length > 0) await giveSeats(core, next.course, promoted, transaction);
    if (lease && !(await lease.renew(transaction))) throw new AppError('PROMOTION_RUNNING');
    return { promoted: promoted.length, isDue: next.isCut || promoted.length < next.enrollments.length };
  });

interface NextInLine {
  course: Course;
  enrollments: Enrollment[];
  /** Whether there are more seats than one step gives, and perhaps more people. */
  isCut: boolean;
}

/** Locks a course and reads the next people in line; undefined if nobody gets a seat. */
async function nextInLine(core: Core, courseId: string, transaction: Transaction): Promise<NextInLine | undefined> {
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
    limit: Math.min(seatsLeft, stepSize),
    transaction,
  });
  if (enrollments.length === 0) return undefined;
  return { course, enrollments, isCut: enrollments.length === stepSize && seatsLeft > stepSize };
}

/** Locks people, then their enrollments. @returns the waiting enrollments of active people */
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

/** Gives seats in a locked course. Mails the people, and the trainer if the enrollments need a reply. */
async function giveSeats(
  core: Core,
  { autoAccept }: Course,
  promoted: readonly Enrollment[],
  transaction: Transaction,
): Promise<void> {
  const status = autoAccept ? 'active' : 'pending';
  const seat = { status, enrolledAt: core.now(), waitingNumber: null } as const;
  const records = promoted.map((enrollment) => {
    const before = auditedEnrollment(enrollment);
    enrollment.set(seat);
    const changes = changesBetween(before, auditedEnrollment(enrollment));
    return enrollmentRecord('enrollment.status', enrollment.id, changes);
  });
  const ids = promoted.map(({ id }) => id);
  await core.database.models.Enrollment.update(seat, { where: { id: ids }, transaction });
  await recordAudit(core, programAuthor, records, transaction);
  const cause = { author: programAuthor, notify: true };
  const changes = promoted.map((enrollment) => ({ enrollment, from: 'waiting' as const, to: seat.status, cause }));
  await applyEnrollmentEffects(core, changes, transaction); // effect: promotion
}
