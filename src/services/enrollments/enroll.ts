import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError } from '../../errors.js';
import { enrollmentAssignmentSchema, enrollmentRequestSchema } from '../../schemas/enrollment.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import { validate } from '../../schemas/validate.js';
import { auditedEnrollment, recordAudit } from '../audit/audit.js';
import { assertActive } from '../auth/sessions.js';
import { type Actor, actorOf, type Caller, type Core } from '../core.js';
import { reserveSeats, takeWaitingNumbers } from '../courses/capacity.js';
import { lockManagedCourse } from '../courses/commands.js';
import { today } from '../dates.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { applyEnrollmentEffects, notifiesByDefault } from './effects.js';
import { lockEnrollment, lockForEnrollment, lockTraineeToEnroll } from './locks.js';
import {
  assertAllowed,
  assignmentRefusal,
  notesOf,
  reenrollRefusal,
  replyOf,
  requestedStatus,
  type WrittenFields,
} from './rules.js';
import { auditedChanges, enrollmentRecord, enrollmentRow, insertEnrollments } from './store.js';
import { addPlacesAfterChange } from './waiting-places.js';

interface EnrollmentDraft {
  userId: string;
  status: EnrollmentStatus;
  written: WrittenFields;
  /** Set only on the waiting list. */
  waitingNumber?: number | null;
}

/** Creates an enrollment, or revives a cancelled one. The caller has reserved the seat. */
async function enrollOrRevive(
  core: Core,
  course: Pick<Course, 'id' | 'trainerId'>,
  existing: Enrollment | null,
  { userId, status, written, waitingNumber = null }: EnrollmentDraft,
  transaction: Transaction,
): Promise<Enrollment> {
  const enrolledAt = core.now();
  const fields = { status, waitingNumber, ...written };
  if (existing) return existing.update({ enrolledAt, cancelReason: null, ...fields }, { transaction });
  const id = uuidv7();
  const enrollment = { id, userId, courseId: course.id, trainerId: course.trainerId, ...fields };
  await insertEnrollments(core, [enrollment], enrolledAt, transaction);
  return core.database.models.Enrollment.build(enrollmentRow(enrollment, enrolledAt), {
    isNewRecord: false,
    raw: true,
  });
}

/**
 * Requests a seat in a published course for the caller. If no seat is free, requests a place on the waiting list, if
 * the caller wants it.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ALREADY_ENROLLED`, `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`,
 *   `ENROLLMENT_CLOSED`, `COURSE_FULL` or `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`, checked in this order
 */
export async function requestEnrollment(core: Core, caller: Caller, input: unknown): Promise<Enrollment> {
  const { user } = caller;
  const { courseId, joinWaitingList, ...texts } = validate(enrollmentRequestSchema, input);
  const request = async (transaction: Transaction) => {
    const wanted = { courseId, userId: user.id };
    const state = await lockForEnrollment(core, wanted, transaction);
    const { course, account, existing: found } = state;
    assertActive(account?.role === 'trainee' ? account : null);
    // Other changes of an enrollment don't lock the course, so an existing enrollment is locked, too.
    const existing = found ? await lockEnrollment(core, wanted, transaction) : null;
    if (existing) assertAllowed(reenrollRefusal(existing.status, 'pending', 'trainee'));
    const from = existing?.status;
    const status = requestedStatus(state, joinWaitingList, today(core));
    const waitingNumber = status === 'waiting' ? await takeWaitingNumbers(core, course, 1, transaction) : null;
    const draft = { userId: user.id, status, written: notesOf(texts, core.now()), waitingNumber };
    const enrollment = await enrollOrRevive(core, course, existing, draft, transaction);
    const cause = { author: actorOf(caller), notify: false };
    await applyEnrollmentEffects(core, [{ enrollment, from, to: status, cause }], transaction); // effect: request
    return enrollment;
  };
  const enrollment = await inCourseQueue(courseId, () => core.database.inTransaction(request));
  await addPlacesAfterChange(core, [enrollment]);
  return enrollment;
}

/**
 * Enrolls a trainee in a course, published or not, or adds the trainee to its waiting list. The actor must be the course's trainer
 * or the super admin.
 * @param notify whether the trainee gets a mail about a seat
 * @returns the enrollment with its course and trainee
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function assignEnrollment(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = notifiesByDefault(actor),
): Promise<Enrollment> {
  const { courseId, traineeId, status: wanted, whenFull, ...texts } = validate(enrollmentAssignmentSchema, input);
  const written = replyOf(actor, texts, core.now());
  const assign = async (transaction: Transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const trainee = await lockTraineeToEnroll(core, traineeId, transaction);
    const existing = await lockEnrollment(core, { userId: traineeId, courseId }, transaction);
    assertAllowed(assignmentRefusal(trainee, existing, wanted));
    const before = existing ? auditedEnrollment(existing) : undefined;
    const from = existing?.status;
    const [place] = await reserveSeats(core, course, [from === 'waiting'], whenFull, transaction);
    if (place === 'kept') throw new AppError('ALREADY_ENROLLED');
    const status: EnrollmentStatus = place === 'joined' ? 'waiting' : wanted;
    const waitingNumber = place === 'joined' ? await takeWaitingNumbers(core, course, 1, transaction) : null;
    const draft = { userId: traineeId, status, written, waitingNumber };
    const enrollment = await enrollOrRevive(core, course, existing, draft, transaction);
    enrollment.course = course;
    if (trainee) enrollment.user = trainee;
    const changes = auditedChanges(before, enrollment);
    await recordAudit(core, actor, enrollmentRecord('enrollment.assign', enrollment.id, changes), transaction);
    const cause = { author: actor, notify, reply: written.reply };
    await applyEnrollmentEffects(core, [{ enrollment, from, to: status, cause }], transaction); // effect: assignment
    return enrollment;
  };
  const enrollment = await inCourseQueue(courseId, () => core.database.inTransaction(assign));
  await addPlacesAfterChange(core, [enrollment]);
  return enrollment;
}
