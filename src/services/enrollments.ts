import { Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import type { User } from '../db/models/user.js';
import { AppError, notFound } from '../errors.js';
import {
  type EnrollmentStatus,
  enrollmentAssignmentSchema,
  enrollmentRequestSchema,
  progressSchema,
  type StatusChange,
  statusChangeSchema,
} from '../schemas/enrollment.js';
import { validate } from '../schemas/validate.js';
import { type AuditRecord, auditedEnrollment, changesBetween, recordAudit } from './audit.js';
import type { Actor, Caller, Core } from './core.js';
import { lockManagedCourse } from './courses.js';
import { findEnrollment } from './enrollment-listings.js';
import { holdUsers } from './holds.js';
import { denied } from './permissions.js';
import { takeSeats } from './seats.js';

/** What an enrollment can become, from each status. */
const transitions: Readonly<Record<EnrollmentStatus, readonly EnrollmentStatus[]>> = {
  pending: ['active', 'cancelled'],
  active: ['completed', 'cancelled'],
  completed: [],
  cancelled: ['pending', 'active'],
};

/** @throws AppError `STATUS_REFUSED`, naming both */
function assertTransition(from: EnrollmentStatus, to: EnrollmentStatus, byTrainee: boolean): void {
  // Only the trainee can ask to be let in again; only those who manage the course can let them in.
  const forOther = from === 'cancelled' && (to === 'pending') !== byTrainee;
  if (!transitions[from].includes(to) || forOther)
    throw new AppError('STATUS_REFUSED', `Enrollment can't change from ${from} to ${to}.`);
}

/**
 * Whoever changes the enrollments of a course locks its row first: so they wait for each other in one order. On a cluster
 * that is one node's order; there the enrollment that is changed conflicts, and the course where a seat is taken.
 */
async function lockCourse(core: Core, id: string, transaction: Transaction): Promise<Course> {
  const { Course } = core.database.models;
  const course = await Course.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!course) throw notFound('Course');
  return course;
}

/** Somebody who gets a place is a trainee until the transaction ends. */
async function holdTrainee(core: Core, id: string, transaction: Transaction): Promise<User> {
  const [trainee] = await holdUsers(core, [id], transaction);
  if (trainee?.role !== 'trainee') throw notFound('Trainee');
  return trainee;
}

/** The trainee's enrollment in a course, if there is one. */
function lockEnrollment(
  core: Core,
  where: { id: string } | { userId: string; courseId: string },
  transaction: Transaction,
): Promise<Enrollment | null> {
  return core.database.models.Enrollment.findOne({ where, transaction, lock: transaction.LOCK.UPDATE });
}

export const enrollmentRecord = (
  action: AuditRecord['action'],
  id: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'enrollment', targetId: id, ...changes }) as const;

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
    const existing = await lockEnrollment(core, { userId: user.id, courseId }, transaction);
    if (existing && existing.status !== 'cancelled') throw new AppError('ALREADY_ENROLLED');
    if (!course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
    await takeSeats(core, course, 1, transaction);
    // Their role may have changed since they were let in here, which ends their sessions.
    const [trainee] = await holdUsers(core, [user.id], transaction);
    if (trainee?.role !== 'trainee') throw new AppError('TOKEN_INVALID');
    return enter(core, course, existing, { userId: user.id, status: 'pending', notes }, transaction);
  });
}

/**
 * Those who manage a course enroll a trainee, whether it is published or not.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`
 */
export async function assignEnrollment(core: Core, actor: Actor, input: unknown): Promise<Enrollment> {
  const { courseId, traineeId, status, notes } = validate(enrollmentAssignmentSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const trainee = await holdTrainee(core, traineeId, transaction);
    if (!trainee.isActive) throw new AppError('ACCOUNT_INACTIVE', 'Trainee account is inactive.');
    const existing = await lockEnrollment(core, { userId: traineeId, courseId }, transaction);
    if (existing && existing.status !== 'cancelled') throw new AppError('ALREADY_ENROLLED');
    if (existing) assertTransition(existing.status, status, false);
    const before = existing ? { before: auditedEnrollment(existing) } : {};
    await takeSeats(core, course, 1, transaction);
    const enrollment = await enter(core, course, existing, { userId: traineeId, status, notes }, transaction);
    const record = { ...before, after: auditedEnrollment(enrollment) };
    await recordAudit(core, actor, enrollmentRecord('enrollment.assign', enrollment.id, record), transaction);
    return enrollment;
  });
}

/** Changes an enrollment that the actor knows of, on its locked row, and records it unless it is the trainee's own doing. */
async function changeEnrollment(
  core: Core,
  actor: Actor,
  id: string,
  action: AuditRecord['action'],
  change: (enrollment: Enrollment, course: Course, transaction: Transaction) => Promise<void>,
): Promise<Enrollment> {
  const { courseId } = await findEnrollment(core, actor, id);
  await core.database.inTransaction(async (transaction) => {
    const course = await lockCourse(core, courseId, transaction);
    const enrollment = await lockEnrollment(core, { id }, transaction);
    // It may have gone, or its course to another trainer, since it was looked up.
    const owner = actor.role === 'trainer' ? course.trainerId : actor.actorId;
    if (!enrollment || owner !== actor.actorId) throw notFound('Enrollment');
    const before = auditedEnrollment(enrollment);
    await change(enrollment, course, transaction);
    await enrollment.save({ transaction });
    if (actor.role === 'trainee') return;
    const changes = changesBetween(before, auditedEnrollment(enrollment));
    await recordAudit(core, actor, enrollmentRecord(action, id, changes), transaction);
  });
  return findEnrollment(core, actor, id);
}

/** The status that is asked for, where the actor's role may ask for it. @throws AppError `ACCESS_DENIED` */
function assertMayAskFor({ status }: StatusChange, { role }: Actor): void {
  if (role === 'trainee' && status !== 'cancelled' && status !== 'pending')
    throw denied('Trainees can cancel an enrollment, or request it again.');
}

/**
 * Moves an enrollment to another status.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `STATUS_REFUSED`, and for those who had cancelled
 *   `COURSE_NOT_PUBLISHED`, `COURSE_FULL`
 */
export async function changeStatus(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const wanted = validate(statusChangeSchema, input);
  const byTrainee = actor.role === 'trainee';
  return changeEnrollment(core, actor, id, 'enrollment.status', async (enrollment, course, transaction) => {
    assertMayAskFor(wanted, actor);
    assertTransition(enrollment.status, wanted.status, byTrainee);
    if (enrollment.status === 'cancelled') {
      if (byTrainee && !course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
      await takeSeats(core, course, 1, transaction);
      // Whoever has no place any more may have become somebody else.
      await holdTrainee(core, enrollment.userId, transaction);
      enrollment.enrolledAt = core.now();
    }
    enrollment.status = wanted.status;
    if (wanted.status === 'completed') enrollment.set({ completedAt: core.now(), progress: 100 });
    if (wanted.notes !== undefined) enrollment.notes = wanted.notes;
  });
}

/**
 * Sets how far a trainee is: those who manage the course from the start, the trainee while active.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_REFUSED`
 */
export async function setProgress(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { progress } = validate(progressSchema, input);
  const open: readonly EnrollmentStatus[] = actor.role === 'trainee' ? ['active'] : ['pending', 'active'];
  return changeEnrollment(core, actor, id, 'enrollment.progress', async (enrollment) => {
    if (!open.includes(enrollment.status))
      throw new AppError('STATUS_REFUSED', `Progress can't change while the enrollment is ${enrollment.status}.`);
    enrollment.progress = progress;
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
