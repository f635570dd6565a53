import { Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError, notFound } from '../../errors.js';
import { enrollmentAssignmentSchema, enrollmentRequestSchema } from '../../schemas/enrollment.js';
import type { InitialStatus } from '../../schemas/enrollment-statuses.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedEnrollment, changesBetween, recordAudit } from '../audit/audit.js';
import { assertActive } from '../auth/sessions.js';
import type { Actor, Caller, Core } from '../core.js';
import { lockManagedCourse } from '../courses/commands.js';
import { closedRefusal, today } from '../courses/dates.js';
import { assertSeatsLeft, reserveSeats, seatsFor } from '../locks/capacity.js';
import { inCourseQueue } from './course-queue.js';
import { lockEnrollment, lockEntry, lockTraineeToEnroll } from './locks.js';
import { newsOf, queueDigest, queueNews, replyIn, tellsByItself } from './news.js';
import { assertAllowed, assignmentRefusal, notesOf, replyOf, returnRefusal, type WrittenFields } from './rules.js';
import { enrollmentRow, insertEnrollments } from './store.js';

/** An entry of the audit trail about an enrollment. */
export const enrollmentRecord = (
  action: AuditRecord<'enrollment'>['action'],
  id: string,
  changes: Pick<AuditRecord, 'before' | 'after'>,
) => ({ action, targetType: 'enrollment', targetId: id, ...changes }) as const;

/** What enrolling a trainee has changed: all of a new enrollment, or what is different in one that was cancelled. */
export function entryChanges(before: object | undefined, entered: Enrollment) {
  const after = auditedEnrollment(entered);
  return before ? changesBetween(before, after) : { after };
}

interface Entry {
  userId: string;
  status: InitialStatus;
  words: WrittenFields;
}

/** Enrolls a trainee, or revives a cancelled enrollment. The caller has reserved the seat. */
async function enter(
  core: Core,
  course: Pick<Course, 'id' | 'trainerId'>,
  existing: Enrollment | null,
  { userId, status, words }: Entry,
  transaction: Transaction,
): Promise<Enrollment> {
  const enrolledAt = core.now();
  if (existing) return existing.update({ status, enrolledAt, cancelReason: null, ...words }, { transaction });
  const id = uuidv7();
  const entered = { id, userId, courseId: course.id, trainerId: course.trainerId, status, ...words };
  await insertEnrollments(core, [entered], enrolledAt, transaction);
  return core.database.models.Enrollment.build(enrollmentRow(entered, enrolledAt), { isNewRecord: false, raw: true });
}

/**
 * A trainee asks for a place in a published course that isn't full.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ALREADY_ENROLLED`, `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`,
 *   `COURSE_FULL`, in this order
 */
export async function requestEnrollment(core: Core, { user }: Caller, input: unknown): Promise<Enrollment> {
  const { courseId, ...words } = validate(enrollmentRequestSchema, input);
  const request = async (transaction: Transaction) => {
    const wanted = { courseId, userId: user.id };
    const { course, account, existing: found, seatsTaken } = await lockEntry(core, wanted, transaction);
    assertActive(account?.role === 'trainee' ? account : null);
    // Whatever removes or changes it meanwhile doesn't lock the course: where there is one, it is locked too.
    const existing = found ? await lockEnrollment(core, wanted, transaction) : null;
    if (existing) assertAllowed(returnRefusal(existing.status, 'pending', 'trainee'));
    if (!course.isPublished) throw new AppError('COURSE_NOT_PUBLISHED');
    assertAllowed(closedRefusal(course, today(core)));
    assertSeatsLeft(course, seatsTaken, 1);
    const entry = { userId: user.id, status: 'pending', words: notesOf(words, core.now()) } as const;
    const enrollment = await enter(core, course, existing, entry, transaction);
    await queueDigest(core, enrollment.trainerId, transaction);
    return enrollment;
  };
  return inCourseQueue(courseId, () => core.database.inTransaction(request));
}

/**
 * The course's trainer or the super admin enrolls a trainee, whether the course is published or not.
 * @param notify whether the trainee gets a mail
 * @returns the enrollment with its course and trainee
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`
 */
export async function assignEnrollment(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = tellsByItself(actor),
): Promise<Enrollment> {
  const { courseId, traineeId, status, ...words } = validate(enrollmentAssignmentSchema, input);
  const written = replyOf(actor, words, core.now());
  const assign = async (transaction: Transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const trainee = await lockTraineeToEnroll(core, traineeId, transaction);
    const existing = await lockEnrollment(core, { userId: traineeId, courseId }, transaction);
    assertAllowed(assignmentRefusal(trainee, existing, status));
    const before = existing ? auditedEnrollment(existing) : undefined;
    const from = existing?.status;
    await reserveSeats(core, course, seatsFor(status, 1), transaction);
    const enrollment = await enter(core, course, existing, { userId: traineeId, status, words: written }, transaction);
    enrollment.course = course;
    if (trainee) enrollment.user = trainee;
    const changes = entryChanges(before, enrollment);
    await recordAudit(core, actor, enrollmentRecord('enrollment.assign', enrollment.id, changes), transaction);
    if (notify) await queueNews(core, newsOf(from, status), [enrollment], transaction, replyIn(written));
    return enrollment;
  };
  return inCourseQueue(courseId, () => core.database.inTransaction(assign));
}

/**
 * Removes enrollments, all of them or none.
 * @returns the removed enrollments
 * @throws AppError `NOT_FOUND` when one doesn't exist, or isn't in a course that the actor manages
 */
export async function removeEnrollments(core: Core, actor: Actor, ids: readonly string[]): Promise<Enrollment[]> {
  const { Enrollment } = core.database.models;
  const scope = actor.role === 'super_admin' ? {} : { trainerId: actor.actorId };
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
