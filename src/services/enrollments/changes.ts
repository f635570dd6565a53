import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError, notFound } from '../../errors.js';
import { progressSchema, replySchema, type StatusChange, statusChangeSchema } from '../../schemas/enrollment.js';
import { type EnrollmentStatus, rulesOf } from '../../schemas/enrollment-statuses.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedEnrollment, changesBetween, recordAudit } from '../audit/audit.js';
import { assertActive } from '../auth/sessions.js';
import { settleCertificate } from '../certificates/changes.js';
import type { Actor, Core } from '../core.js';
import { reserveSeat } from '../courses/capacity.js';
import { today } from '../dates.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { newsOf, queueDigest, queueNews, replyIn, tellsByItself } from '../mail/news.js';
import { enrollmentRecord, takeWaitingNumbers } from './commands.js';
import { lockCourse, lockEnrollment, lockEntry, lockTraineeToEnroll } from './locks.js';
import { findEnrollment } from './queries.js';
import {
  assertAllowed,
  cancelReasonOf,
  changeRefusal,
  replyOf,
  requestedStatus,
  sideOf,
  traineeRefusal,
  wordsOf,
} from './rules.js';
import { addPlacesAfterChange } from './waiting-places.js';

/** What a change of status makes of an enrollment that had no seat. */
type Placing = () => Promise<{ status: EnrollmentStatus; waitingNumber: number | null }>;

/**
 * Locks what giving a seat relies on, before the enrollment: the course, then the trainee, who must stay one.
 * @returns what reserves the seat
 * @throws AppError `NOT_FOUND` when the course was deleted
 */
async function lockForSeat(
  core: Core,
  { courseId, userId }: Enrollment,
  { status, joinWaitingList }: StatusChange,
  byTrainee: boolean,
  transaction: Transaction,
): Promise<Placing> {
  if (byTrainee) {
    const state = await lockEntry(core, { courseId, userId }, transaction);
    return async () => {
      assertActive(state.account?.role === 'trainee' ? state.account : null);
      const given = requestedStatus(state, joinWaitingList, today(core));
      const joins = given === 'waiting';
      return {
        status: given,
        waitingNumber: joins ? await takeWaitingNumbers(core, state.course, 1, transaction) : null,
      };
    };
  }
  const course = await lockCourse(core, courseId, transaction);
  const trainee = await lockTraineeToEnroll(core, userId, transaction);
  return async () => {
    assertAllowed(traineeRefusal(trainee));
    await reserveSeat(core, course, transaction);
    return { status, waitingNumber: null };
  };
}

/** The enrollment has lost its seat since it was read: the change begins again, with the locks that another seat needs. */
export class SeatLostMeanwhile extends Error {
  override readonly name = 'SeatLostMeanwhile';
}

/** One change of an enrollment. */
export interface EnrollmentChange<Locked> {
  action: AuditRecord<'enrollment'>['action'];
  /** Whether it waits for the course. */
  takesSeat?(found: Enrollment): boolean;
  /** Locks the rows that the change relies on, before the enrollment itself, to avoid deadlocks. */
  lock(found: Enrollment, transaction: Transaction): Promise<Locked>;
  /** Changes the locked enrollment; what it sets is saved. */
  change(enrollment: Enrollment, locked: Locked, transaction: Transaction): Promise<void>;
  /** Queues mails about the change. */
  tell?(from: EnrollmentStatus, enrollment: Enrollment, transaction: Transaction): Promise<void>;
}

/** What a change has made of an enrollment. */
interface Changed {
  enrollment: Enrollment;
  from: EnrollmentStatus;
  /** What the audit log has of it: nothing of a trainee's own doing. */
  records: AuditRecord<'enrollment'>[];
}

/**
 * Changes an enrollment in the transaction that has locked it, and before it what the change relies on.
 * @param enrollment nothing where it was deleted
 * @throws AppError `NOT_FOUND`, and what `change` throws
 */
export async function changeLocked<Locked>(
  core: Core,
  actor: Actor,
  enrollment: Enrollment | null | undefined,
  { action, change }: Pick<EnrollmentChange<Locked>, 'action' | 'change'>,
  locked: Locked,
  transaction: Transaction,
): Promise<Changed> {
  // Since it was read, it may have been deleted, or its course assigned to another trainer. The enrollment's trainer is
  // always its course's: a foreign key ensures that.
  const owner = actor.role === 'trainer' ? enrollment?.trainerId : actor.actorId;
  if (!enrollment || owner !== actor.actorId) throw notFound('Enrollment');
  const from = enrollment.status;
  const before = auditedEnrollment(enrollment);
  await change(enrollment, locked, transaction);
  await enrollment.save({ transaction });
  await settleCertificate(core, enrollment, from, transaction);
  const changes = changesBetween(before, auditedEnrollment(enrollment));
  const isAudited = actor.role !== 'trainee' && Object.keys(changes.after).length > 0;
  return { enrollment, from, records: isAudited ? [enrollmentRecord(action, enrollment.id, changes)] : [] };
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
  wanted: EnrollmentChange<Locked>,
): Promise<Enrollment> {
  const found = await findEnrollment(core, actor, id);
  const run = async (transaction: Transaction) => {
    const locked = await wanted.lock(found, transaction);
    const current = await lockEnrollment(core, { id }, transaction);
    const { enrollment, from, records } = await changeLocked(core, actor, current, wanted, locked, transaction);
    if (records.length > 0) await recordAudit(core, actor, records, transaction);
    await wanted.tell?.(from, enrollment, transaction);
    if (found.course) enrollment.course = found.course;
    if (found.user) enrollment.user = found.user;
    // That of a completion that stays one.
    if (enrollment.status === from && found.certificate) enrollment.certificate = found.certificate;
    return enrollment;
  };
  const inTransaction = () => core.database.inTransaction(run);
  const changed = await (wanted.takesSeat?.(found) ? inCourseQueue(found.courseId, inTransaction) : inTransaction());
  await addPlacesAfterChange(core, [changed]);
  return changed;
}

/**
 * Moves an enrollment to another status.
 * @param notify whether the trainee gets a mail about what somebody else has done
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `STATUS_CHANGED`, `STATUS_REFUSED`, and when reviving a
 *   cancelled one, or giving it another seat, `ACCOUNT_INACTIVE`, `COURSE_NOT_PUBLISHED`, `COURSE_ENDED`, `ENROLLMENT_CLOSED`,
 *   `COURSE_FULL`, `SEATS_BEING_GIVEN`, `WAITING_LIST_FULL`
 */
export async function changeStatus(
  core: Core,
  actor: Actor,
  id: string,
  input: unknown,
  notify = tellsByItself(actor),
): Promise<Enrollment> {
  const wanted = validate(statusChangeSchema, input);
  for (;;) {
    try {
      return await changeEnrollment(core, actor, id, statusChange(core, actor, wanted, notify));
    } catch (error) {
      if (!(error instanceof SeatLostMeanwhile)) throw error;
    }
  }
}

/** Whether a change of status takes a seat: of an enrollment that has none. */
export const takesSeat = (from: EnrollmentStatus, to: EnrollmentStatus) =>
  !rulesOf(from).takesSeat && rulesOf(to).takesSeat;

/** A change of status. It throws SeatLostMeanwhile, and as {@link changeStatus}. */
export function statusChange(core: Core, actor: Actor, wanted: StatusChange, notify: boolean) {
  const byTrainee = actor.role === 'trainee';
  const words = wordsOf(actor, wanted, core.now());
  const needsSeat = ({ status }: Enrollment) => takesSeat(status, wanted.status);
  return {
    action: 'enrollment.status',
    // Other changes don't wait for those who enroll in the course.
    takesSeat: needsSeat,
    lock: async (found, transaction) =>
      needsSeat(found) ? lockForSeat(core, found, wanted, byTrainee, transaction) : undefined,
    async change(enrollment, place) {
      assertAllowed(changeRefusal(enrollment.status, wanted, actor));
      if (needsSeat(enrollment)) {
        if (!place) throw new SeatLostMeanwhile();
        // A completion that is taken back keeps its date.
        if (enrollment.status !== 'completed') enrollment.enrolledAt = core.now();
        enrollment.set({ ...(await place()), cancelReason: null });
      } else {
        const cancelReason = wanted.status === 'cancelled' ? cancelReasonOf(enrollment.status, sideOf(actor)) : null;
        enrollment.set({ status: wanted.status, waitingNumber: null, cancelReason });
      }
      enrollment.set({ completedAt: null, ...words });
      if (wanted.status === 'completed') enrollment.set({ completedAt: core.now(), progress: 100 });
    },
    async tell(from, enrollment, transaction) {
      const { status, trainerId } = enrollment;
      if (byTrainee) {
        if (status === 'pending') await queueDigest(core, trainerId, transaction);
        return;
      }
      if (notify) await queueNews(core, actor, newsOf(from, status), [enrollment], transaction, replyIn(words));
    },
  } satisfies EnrollmentChange<Placing | undefined>;
}

/**
 * Sets or takes back the reply of an enrollment of any status: managers of the course. No mail tells of it.
 * @throws AppError `VALIDATION`, `NOT_FOUND`
 */
export async function setReply(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { reply } = validate(replySchema, input);
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.reply',
    lock: async () => undefined,
    async change(enrollment, _, transaction) {
      enrollment.set(replyOf(actor, { reply: reply || null }, core.now()));
      // Other changes begin or end with the certificate; this one leaves it, and the answer shows it.
      const where = { enrollmentId: enrollment.id };
      enrollment.certificate = await core.database.models.Certificate.findOne({ where, transaction });
    },
  });
}

/**
 * Sets the progress of an enrollment: managers of the course and the trainee, as the rules of its status say.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_REFUSED`
 */
export async function setProgress(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { progress } = validate(progressSchema, input);
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.progress',
    // Progress needs no seat: it doesn't wait for others who enroll in the course.
    lock: async () => undefined,
    async change(enrollment) {
      if (!rulesOf(enrollment.status).progressBy.includes(sideOf(actor)))
        throw new AppError('STATUS_REFUSED', `Progress can't change while the enrollment is ${enrollment.status}.`);
      enrollment.progress = progress;
    },
  });
}
