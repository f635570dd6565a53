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
import { takeSeats } from '../capacity.js';
import type { Actor, Caller, Core } from '../core.js';
import { lockManagedCourse } from '../courses/commands.js';
import { holdTrainee, lockCourse, lockEnrollment, lockTrainee } from './locks.js';
import { findEnrollment } from './queries.js';
import { assertCanEnter, assertMayChange, assignmentRefusal } from './rules.js';

/** An entry of the audit trail about an enrollment. */
export const enrollmentRecord = (
  action: AuditRecord['action'],
  id: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'enrollment', targetId: id, ...changes }) as const;

/** What enrolling somebody has changed: all of a new enrollment, or what is different in one that was cancelled. */
export function entryChanges(before: AuditedEnrollment | undefined, entered: Enrollment) {
  const after = auditedEnrollment(entered);
  return before ? changesBetween(before, after) : { after };
}

interface Entry {
  userId: string;
  status: 'pending' | 'active';
  notes?: string | null | undefined;
}

/** Enrolls somebody, or lets them in again who had cancelled. The seat is taken already. */
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
      // What is left to the database isn't known here.
      progress: 0,
      completedAt: null,
    },
    { transaction },
  );
}

/**
 * A trainee asks for a place in a published course with room.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ALREADY_ENROLLED`, `COURSE_NOT_PUBLISHED`, `COURSE_FULL`, in this order
 */
export async function requestEnrollment(core: Core, { user }: Caller, input: unknown): Promise<Enrollment> {
  const { courseId, notes } = validate(enrollmentRequestSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const course = await lockCourse(core, courseId, transaction);
    assertStillSignedIn(await holdTrainee(core, user.id, transaction));
    const existing = await lockEnrollment(core, { userId: user.id, courseId }, transaction);
    if (existing && existing.status !== 'cancelled') throw new AppError('ALREADY_ENROLLED');
    if (!course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
    await takeSeats(core, course, 1, transaction);
    return enter(core, course, existing, { userId: user.id, status: 'pending', notes }, transaction);
  });
}

/**
 * Those who manage a course enroll a trainee, whether it is published or not.
 * @returns the enrollment with its course and trainee
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`
 */
export async function assignEnrollment(core: Core, actor: Actor, input: unknown): Promise<Enrollment> {
  const { courseId, traineeId, status, notes } = validate(enrollmentAssignmentSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const trainee = await holdTrainee(core, traineeId, transaction);
    const existing = await lockEnrollment(core, { userId: traineeId, courseId }, transaction);
    const refusal = assignmentRefusal(trainee, existing, status);
    if (refusal) throw refusal;
    const before = existing ? auditedEnrollment(existing) : undefined;
    await takeSeats(core, course, 1, transaction);
    const enrollment = await enter(core, course, existing, { userId: traineeId, status, notes }, transaction);
    enrollment.course = course;
    if (trainee) enrollment.user = trainee;
    const changes = entryChanges(before, enrollment);
    await recordAudit(core, actor, enrollmentRecord('enrollment.assign', enrollment.id, changes), transaction);
    return enrollment;
  });
}

/** What a change of status relies on, locked besides the enrollment. */
interface EnrollmentParents {
  course: Course;
  trainee: User | null;
}

/** Locks the course, then the trainee, of a status change. @throws AppError `NOT_FOUND` when the course has gone */
async function lockParents(
  core: Core,
  { courseId, userId, status }: Enrollment,
  transaction: Transaction,
): Promise<EnrollmentParents> {
  const course = await lockCourse(core, courseId, transaction);
  // Only a new place needs more than that nobody else is at it.
  const lock = status === 'cancelled' ? holdTrainee : lockTrainee;
  return { course, trainee: await lock(core, userId, transaction) };
}

/** One change of an enrollment. */
interface EnrollmentChange<Locked> {
  action: AuditRecord['action'];
  /** Locks what the change relies on, before the enrollment itself: all wait in one order. */
  lock(found: Enrollment, transaction: Transaction): Promise<Locked>;
  /** Changes the locked enrollment; what it sets is saved. */
  change(enrollment: Enrollment, locked: Locked, transaction: Transaction): Promise<void>;
}

/**
 * Changes an enrollment that the actor knows of, on its locked row, and records it unless it is the trainee's own doing.
 * @returns the enrollment as this change left it, with the course and trainee that it was found with: reading it again
 *   after the commit could fail, or show what others did to it next
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
    // It may have gone, or its course to another trainer, since it was looked up. The trainer of the course is in the
    // enrollment too: a foreign key keeps them the same.
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
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `STATUS_REFUSED`, and for those who had cancelled
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
        await takeSeats(core, course, 1, transaction);
        enrollment.enrolledAt = core.now();
      }
      enrollment.status = wanted.status;
      if (wanted.status === 'completed') enrollment.set({ completedAt: core.now(), progress: 100 });
      if (wanted.notes !== undefined) enrollment.notes = wanted.notes;
    },
  });
}

/**
 * Sets how far a trainee is: those who manage the course from the start, the trainee while active.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_REFUSED`
 */
export async function setProgress(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { progress } = validate(progressSchema, input);
  const open: readonly EnrollmentStatus[] = actor.role === 'trainee' ? ['active'] : ['pending', 'active'];
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.progress',
    // Progress takes no seat: trainees who advance don't wait for others who enter their course.
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
 * @returns what they were
 * @throws AppError `NOT_FOUND` when one isn't there, or isn't in a course that the actor manages
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
