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
  words: WrittenFields;
  /** Only on the waiting list. */
  waitingNumber?: number | null;
}

/** Enrolls a trainee, or revives a cancelled enrollment. The caller has reserved the seat. */
async function enrollOrRevive(
  core: Core,
  course: Pick<Course, 'id' | 'trainerId'>,
  existing: Enrollment | null,
  { userId, status, words, waitingNumber = null }: EnrollmentDraft,
  transaction: Transaction,
): Promise<Enrollment> {
  const enrolledAt = core.now();
  const entry = { status, waitingNumber, ...words };
  if (existing) return existing.update({ enrolledAt, cancelReason: null, ...entry }, { transaction });
  const id = uuidv7();
  const entered = { id, userId, courseId: course.id, trainerId: course.trainerId, ...entry };
  await insertEnrollments(core, [entered], enrolledAt, transaction);
  return core.database.models.Enrollment.build(enrollmentRow(entered, enrolledAt), { isNewRecord: false, raw: true });
}

/**
 * A trainee asks for a place in a published course: for a seat, or where there is none for a place on the waiting list.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ALREADY_ENROLLED`, `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`,
 *   `COURSE_FULL` or `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`, in this order
 */
export async function requestEnrollment(core: Core, caller: Caller, input: unknown): Promise<Enrollment> {
  const { user } = caller;
  const { courseId, joinWaitingList, ...words } = validate(enrollmentRequestSchema, input);
  const request = async (transaction: Transaction) => {
    const wanted = { courseId, userId: user.id };
    const state = await lockForEnrollment(core, wanted, transaction);
    const { course, account, existing: found } = state;
    assertActive(account?.role === 'trainee' ? account : null);
    // Whatever removes or changes it meanwhile doesn't lock the course: where there is one, it is locked too.
    const existing = found ? await lockEnrollment(core, wanted, transaction) : null;
    if (existing) assertAllowed(reenrollRefusal(existing.status, 'pending', 'trainee'));
    const from = existing?.status;
    const status = requestedStatus(state, joinWaitingList, today(core));
    const waitingNumber = status === 'waiting' ? await takeWaitingNumbers(core, course, 1, transaction) : null;
    const entry = { userId: user.id, status, words: notesOf(words, core.now()), waitingNumber };
    const enrollment = await enrollOrRevive(core, course, existing, entry, transaction);
    const cause = { author: actorOf(caller), notify: false };
    await applyEnrollmentEffects(core, [{ enrollment, from, to: status, cause }], transaction); // effect: request
    return enrollment;
  };
  const enrollment = await inCourseQueue(courseId, () => core.database.inTransaction(request));
  await addPlacesAfterChange(core, [enrollment]);
  return enrollment;
}

/**
 * The course's trainer or the super admin enrolls a trainee, whether the course is published or not, or puts the trainee on the
 * waiting list.
 * @param notify whether the trainee gets a mail about a seat
 * @returns the enrollment with its course and trainee
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `ACCOUNT_INACTIVE`, `ALREADY_ENROLLED`, `STATUS_REFUSED`,
 *   `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function assignEnrollment(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = notifiesByDefault(actor),
): Promise<Enrollment> {
  const { courseId, traineeId, status: wanted, whenFull, ...words } = validate(enrollmentAssignmentSchema, input);
  const written = replyOf(actor, words, core.now());
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
    const entry = { userId: traineeId, status, words: written, waitingNumber };
    const enrollment = await enrollOrRevive(core, course, existing, entry, transaction);
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
