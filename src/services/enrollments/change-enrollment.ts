import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError, notFound } from '../../errors.js';
import { progressSchema, replySchema } from '../../schemas/enrollment.js';
import { type EnrollmentStatus, rulesOf } from '../../schemas/enrollment-statuses.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedEnrollment, changesBetween, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { applyEnrollmentEffects, type EnrollmentCause } from './effects.js';
import { lockEnrollment } from './locks.js';
import { findEnrollment } from './queries.js';
import { actorKindOf, replyOf } from './rules.js';
import { enrollmentRecord } from './store.js';
import { addPlacesAfterChange } from './waiting-places.js';

export interface Edit<Locked = undefined> {
  action: AuditRecord<'enrollment'>['action'];
  cause: EnrollmentCause;
  /** Whether the change takes a seat, and so waits in the queue of the course. */
  takesSeat?(found: Enrollment): boolean;
  /** Locks the rows that the change relies on, before the enrollment itself, to avoid deadlocks. */
  lock(found: Enrollment, transaction: Transaction): Promise<Locked>;
  /** Changes the locked enrollment; {@link editLocked} saves it afterwards. */
  change(enrollment: Enrollment, locked: Locked, transaction: Transaction): Promise<void>;
}

export interface Edited {
  enrollment: Enrollment;
  from: EnrollmentStatus;
  cause: EnrollmentCause;
  /** Empty for a trainee's own change. */
  records: AuditRecord<'enrollment'>[];
}

/**
 * Changes and saves an enrollment. The transaction has locked it, and before it the rows that the change relies on.
 * @param enrollment null if it was deleted
 * @throws AppError `NOT_FOUND`, and the errors of `change`
 */
export async function editLocked<Locked>(
  actor: Actor,
  enrollment: Enrollment | null | undefined,
  { action, cause, change }: Pick<Edit<Locked>, 'action' | 'cause' | 'change'>,
  locked: Locked,
  transaction: Transaction,
): Promise<Edited> {
  // Since it was read, the enrollment may have been deleted, or its course assigned to another trainer. By a foreign
  // key, an enrollment always has the trainer of its course.
  const owner = actor.role === 'trainer' ? enrollment?.trainerId : actor.actorId;
  if (!enrollment || owner !== actor.actorId) throw notFound('Enrollment');
  const from = enrollment.status;
  const before = auditedEnrollment(enrollment);
  await change(enrollment, locked, transaction);
  await enrollment.save({ transaction });
  const changes = changesBetween(before, auditedEnrollment(enrollment));
  const isAudited = actor.role !== 'trainee' && Object.keys(changes.after).length > 0;
  return { enrollment, from, cause, records: isAudited ? [enrollmentRecord(action, enrollment.id, changes)] : [] };
}

/** Writes the audit entries of a transaction's edits, and carries out their effects. */
export async function completeEdits(
  core: Core,
  actor: Actor,
  edits: readonly Edited[],
  transaction: Transaction,
): Promise<void> {
  const records = edits.flatMap((edit) => edit.records);
  if (records.length > 0) await recordAudit(core, actor, records, transaction);
  const changes = edits.map(({ enrollment, from, cause }) => ({ enrollment, from, to: enrollment.status, cause }));
  await applyEnrollmentEffects(core, changes, transaction); // effect: status
}

/**
 * Locks and changes an enrollment that the actor may see. Audits the change unless the actor is the trainee.
 * @returns the enrollment after this change, with the course and trainee that were read before it. Reading it again after the
 *   commit could fail, or return a later change
 */
export async function changeEnrollment<Locked>(
  core: Core,
  actor: Actor,
  id: string,
  edit: Edit<Locked>,
): Promise<Enrollment> {
  const found = await findEnrollment(core, actor, id);
  const run = async (transaction: Transaction) => {
    const locked = await edit.lock(found, transaction);
    const current = await lockEnrollment(core, { id }, transaction);
    const edited = await editLocked(actor, current, edit, locked, transaction);
    await completeEdits(core, actor, [edited], transaction);
    const { enrollment, from } = edited;
    if (found.course) enrollment.course = found.course;
    if (found.user) enrollment.user = found.user;
    // An unchanged status keeps its certificate.
    if (enrollment.status === from && found.certificate) enrollment.certificate = found.certificate;
    return enrollment;
  };
  const inTransaction = () => core.database.inTransaction(run);
  const changed = await (edit.takesSeat?.(found) ? inCourseQueue(found.courseId, inTransaction) : inTransaction());
  await addPlacesAfterChange(core, [changed]);
  return changed;
}

/**
 * Sets or removes the reply to an enrollment of any status, for managers of the course. Sends no mail.
 * @throws AppError `VALIDATION`, `NOT_FOUND`
 */
export async function setReply(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { reply } = validate(replySchema, input);
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.reply',
    cause: { author: actor, notify: false },
    lock: async () => undefined,
    async change(enrollment) {
      enrollment.set(replyOf(actor, { reply: reply || null }, core.now()));
    },
  });
}

/**
 * Sets the progress of an enrollment. The rules of its status decide whether managers or the trainee may do so.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `STATUS_REFUSED`
 */
export async function setProgress(core: Core, actor: Actor, id: string, input: unknown): Promise<Enrollment> {
  const { progress } = validate(progressSchema, input);
  return changeEnrollment(core, actor, id, {
    action: 'enrollment.progress',
    cause: { author: actor, notify: false },
    // Progress needs no seat, so the course isn't locked.
    lock: async () => undefined,
    async change(enrollment) {
      if (!rulesOf(enrollment.status).progressBy.includes(actorKindOf(actor)))
        throw new AppError('STATUS_REFUSED', `Progress can't change while the enrollment is ${enrollment.status}.`);
      enrollment.progress = progress;
    },
  });
}
