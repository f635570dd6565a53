import { Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import {
  type EnrollmentStatus,
  enrollmentAssignmentSchema,
  enrollmentRequestSchema,
  progressSchema,
  statusChangeSchema,
} from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import { type AuditedEnrollment, type AuditRecord, auditedEnrollment, changesBetween, recordAudit } from '../audit.js';
import { assertStillSignedIn } from '../auth/sessions.js';
import { reserveSeats } from '../capacity.js';
import type { Actor, Caller, Core } from '../core.js';
import { lockManagedCourse } from '../courses/commands.js';
import { lockCourse, lockEnrollment, lockTrainee, lockTraineeToEnroll } from './locks.js';
import { findEnrollment } from './queries.js';
import { assertCanEnter, assertMayChange, assignmentRefusal } from './rules.js';

/** An entry of the audit trail about an enrollment. */
export const enrollmentRecord = (
  action: AuditRecord['action'],
  id: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'enrollment', targetId: id, ...changes }) as const;

/** What enrolling a trainee has changed: all of a new enrollment, or what is different in one that was cancelled. */
export function entryChanges(before: AuditedEnrollment | undefined, entered: Enrollment) {
  const after = auditedEnrollment(entered);
  return before ? changesBetween(before, after) : { after };
}

interface Entry {
  userId: string;
  status: 'pending' | 'active';
  notes?: string | null | undefined;
}

/** Enrolls a trainee, or revives a cancelled enrollment. The caller has reserved the seat. */
async function enter(
  core: Core,
  course: Course,
  existing: Enrollment | null,
  { userId, status, notes }: Entry,
  transaction: Transaction,
): Promise<Enrollment> {
  const enrolledAt = core.now();
  if (existing) return existing.update({ status, enrolledAt, ...(notes !== undefined && { notes }) }, { transaction });
  return core.database.models.Enrollment.create(
    {
      id: uuidv7(),
      userId,
      courseId: course.id,
      trainerId: course.trainerId,
      status,
      enrolledAt,
      notes: notes ?? null,
      // Defaults of the database wouldn't be in the returned instance.
      progress: 0,
      completedAt: null,
    },
    { transaction },
  );
}

/**
 * A trainee asks for a place in a published course that isn't full.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ALREADY_ENROLLED`, `COURSE_NOT_PUBLISHED`, `COURSE_FULL`, in this order
 */
export async function requestEnrollment(core: Core, { user }: Caller, input: unknown): Promise<Enrollment> {
  const { courseId, notes } = validate(enrollmentRequestSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const course = await lockCourse(core, courseId, transaction);
    assertStillSignedIn(await lockTraineeToEnroll(core, user.id, transaction));
    const existing = await lockEnrollment(core, { userId: user.id, courseId }, transaction);
    if (existing && existing.status !== 'cancelled') throw new AppError('ALREADY_ENROLLED');
    if (!course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
    await reserveSeats(core, course, 1, transaction);
    return enter(core, course, existing, { userId: user.id, status: 'pending', notes }, transaction);
  });
}

/**
 * The course's trainer or the super admin enrolls a trainee, whether the course is published or not.
 * @returns the enrollment with its course and trainee
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`
 */
export async function assignEnrollment(core: Core, actor: Actor, input: unknown): Promise<Enrollment> {
  const { courseId, traineeId, status, notes } = validate(enrollmentAssignmentSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const trainee = await lockTraineeToEnroll(core, traineeId, transaction);
    const existing = await lockEnrollment(core, { userId: traineeId, courseId }, transaction);
    const refusal = assignmentRefusal(trainee, existing, status);
    if (refusal) throw refusal;
    const before = existing ? auditedEnrollment(existing) : undefined;
    await reserveSeats(core, course, 1, transaction);
    const enrollment = await enter(core, course, existing, { userId: traineeId, status, notes }, transaction);
    enrollment.course = course;
    if (trainee) enrollment.user = trainee;
    const changes = entryChanges(before, enrollment);
    await recordAudit(core, actor, enrollmentRecord('enrollment.assign', enrollment.id, changes), transaction);
    return enrollment;
  });
}

/** The rows that a change of status relies on, locked before the enrollment. */
interface EnrollmentParents {
  course: Course;
  trainee: User | null;
}

/** Locks the course, then the trainee, of a status change. @throws AppError `NOT_FOUND` when the course was deleted */
async function lockParents(
  core: Core,
  { courseId, userId, status }: Enrollment,
  transaction: Transaction,
): Promise<EnrollmentParents> {
  const course = await lockCourse(core, courseId, transaction);
  // Only reviving a cancelled enrollment relies on the account staying a trainee.
  const lock = status === 'cancelled' ? lockTraineeToEnroll : lockTrainee;
  return { course, trainee: await lock(core, userId, transaction) };
}

/** One change of an enrollment. */
interface EnrollmentChange<Locked> {
  action: AuditRecord['action'];
  /** Locks the rows that the change relies on, before the enrollment itself, to avoid deadlocks. */
  lock(found: Enrollment, transaction: Transaction): Promise<Locked>;
  /** Changes the locked enrollment; what it sets is saved. */
  change(enrollment: Enrollment, locked: Locked, transaction: Transaction): Promise<void>;
}

/**
 * Changes an enrollment that the actor may see, on its locked row, and audits it unless the actor is the trainee.
 * @returns the enrollment after this change, with the course and trainee that were read before it: reading it again after
 *   the commit could fail, or show a later change
 */
async function changeEnrollment<Locked>(
  core: Core,
  actor: Actor,
  id: string,
  { action, lock, change }: EnrollmentChange<Locked>,
): Promise<Enrollment> {
  const found = await findEnrollment(core, actor, id);
  return core.database.inTransaction(async (transaction) => {
    const locked = await lock(found, transaction);
    const enrollment = await lockEnrollment(core, { id }, transaction);
    // Since it was read, it may have been deleted, or its course assigned to another trainer. The enrollment's trainer is
    // always its course's: a foreign key ensures that.
    const owner = actor.role === 'trainer' ? enrollment?.trainerId : actor.actorId;
    if (!enrollment || owner !== actor.actorId) throw notFound('Enrollment');
    const before = auditedEnrollment(enrollment);
    await change(enrollment, locked, transaction);
    await enrollment.save({ transaction });
    const changes = changesBetween(before, auditedEnrollment(enrollment));
    if (actor.role !== 'trainee' && Object.keys(changes.after).length > 0)
      await recordAudit(core, actor, enrollmentRecord(action, id, changes), transaction);
    if (found.course) enrollment.course = found.course;
    if (found.user) enrollment.user = found.user;
    return enrollment;
  });
}

/**
 * Moves an enrollment to another status.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `STATUS_REFUSED`, and when reviving a cancelled one
 *   `ACCOUNT_INACTIVE`, `COURSE_NOT_PUBLISHED`, `COURSE_FULL`
 */
export async function changeStatus(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const wanted = validate(statusChangeSchema, input);
  const byTrainee = actor.role === 'trainee';
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.status',
    lock: (found, transaction) => lockParents(core, found, transaction),
    async change(enrollment, { course, trainee }, transaction) {
      assertMayChange(enrollment.status, wanted.status, actor);
      if (enrollment.status === 'cancelled') {
        if (byTrainee) assertStillSignedIn(trainee);
        else assertCanEnter(trainee);
        if (byTrainee && !course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
        await reserveSeats(core, course, 1, transaction);
        enrollment.enrolledAt = core.now();
      }
      enrollment.status = wanted.status;
      if (wanted.status === 'completed') enrollment.set({ completedAt: core.now(), progress: 100 });
      if (wanted.notes !== undefined) enrollment.notes = wanted.notes;
    },
  });
}

/**
 * Sets the progress of an enrollment: managers of the course while it is pending or active, the trainee while active.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_REFUSED`
 */
export async function setProgress(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { progress } = validate(progressSchema, input);
  const open: readonly EnrollmentStatus[] = actor.role === 'trainee' ? ['active'] : ['pending', 'active'];
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.progress',
    // Progress needs no seat: it doesn't wait for others who enroll in the course.
    lock: async () => undefined,
    async change(enrollment) {
      if (!open.includes(enrollment.status))
        throw new AppError('STATUS_REFUSED', `Progress can't change while the enrollment is ${enrollment.status}.`);
      enrollment.progress = progress;
    },
  });
}

/**
 * Removes enrollments, all of them or none.
 * @returns the removed enrollments
 * @throws AppError `NOT_FOUND` when one doesn't exist, or isn't in a course that the actor manages
 */
export async function removeEnrollments(core: Core, actor: Actor, ids: readonly string[]): Promise<Enrollment[]> {
  const { Enrollment } = core.database.models;
  const scope = actor.role === 'super_admin' ? {} : { trainerId: actor.actorId ?? '' };
  return core.database.inTransaction(async (transaction) => {
    const found = await Enrollment.findAll({
      where: { [Op.and]: [{ id: [...ids] }, scope] },
      order: ['id'],
      lock: transaction.LOCK.UPDATE,
      transaction,
    });
    if (found.length < ids.length) throw notFound('Enrollment');
    await Enrollment.destroy({ where: { id: [...ids] }, transaction });
    const records = found.map((enrollment) =>
      enrollmentRecord('enrollment.remove', enrollment.id, { before: auditedEnrollment(enrollment) }),
    );
    await recordAudit(core, actor, records, transaction);
    return found;
  });
}
