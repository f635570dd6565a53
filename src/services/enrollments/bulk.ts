import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { AppError } from '../../errors.js';
import { type BulkAssignment, bulkAssignmentSchema, bulkRemovalSchema } from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import { auditedEnrollment, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { lockManagedCourse } from '../courses/commands.js';
import { reserveSeats, seatsFor } from '../locks/capacity.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { newsOf, queueNews, replyIn, tellsByItself } from '../mail/news.js';
import { withNewIds } from '../new-ids.js';
import { enrollmentRecord, entryChanges, removeEnrollments } from './commands.js';
import { assignmentRefusal, replyOf } from './rules.js';
import { insertEnrollments } from './store.js';

/** A trainee who was not enrolled, and why. */
export interface SkippedTrainee {
  traineeId: string;
  refusal: AppError;
}

/** Trainees to enroll for the first time, cancelled enrollments to revive, and the others. */
interface Sorted {
  fresh: string[];
  again: Enrollment[];
  skipped: SkippedTrainee[];
}

async function sortOut(
  core: Core,
  { courseId, traineeIds, status }: BulkAssignment,
  transaction: Transaction,
): Promise<Sorted> {
  const { Enrollment } = core.database.models;
  const users = await forceIncrementUserVersions(core, traineeIds, transaction);
  const trainees = new Map(users.filter(({ role }) => role === 'trainee').map((user) => [user.id, user]));
  const enrollments = await Enrollment.findAll({
    where: { courseId, userId: traineeIds },
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  const existing = new Map(enrollments.map((enrollment) => [enrollment.userId, enrollment]));
  const sorted: Sorted = { fresh: [], again: [], skipped: [] };
  for (const traineeId of traineeIds) {
    const enrollment = existing.get(traineeId) ?? null;
    const refusal = assignmentRefusal(trainees.get(traineeId) ?? null, enrollment, status);
    if (refusal) sorted.skipped.push({ traineeId, refusal });
    else if (enrollment) sorted.again.push(enrollment);
    else sorted.fresh.push(traineeId);
  }
  return sorted;
}

/**
 * Enrolls many trainees in a course: all who can be, or none when the course would be over its capacity.
 * @param notify whether those who are enrolled get a mail
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `ACCESS_DENIED`, `COURSE_FULL`
 */
export async function assignMany(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = tellsByItself(actor),
): Promise<{ enrollments: Enrollment[]; skipped: SkippedTrainee[] }> {
  const wanted = validate(bulkAssignmentSchema, input);
  const { courseId, status } = wanted;
  const written = replyOf(actor, wanted, core.now());
  const { Enrollment } = core.database.models;
  const assign = async (transaction: Transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const { fresh, again, skipped } = await sortOut(core, wanted, transaction);
    await reserveSeats(core, course, seatsFor(status, fresh.length + again.length), transaction);
    const now = core.now();
    const { trainerId } = course;
    const entered = withNewIds(fresh).map(([id, userId]) => ({
      id,
      userId,
      courseId,
      trainerId,
      status,
      ...written,
    }));
    await insertEnrollments(core, entered, now, transaction);
    const revived = again.map(({ id }) => id);
    if (revived.length > 0)
      await Enrollment.update(
        { status, enrolledAt: now, waitingNumber: null, cancelReason: null, ...written },
        { where: { id: revived }, transaction },
      );
    const ids = [...entered.map(({ id }) => id), ...revived];
    const enrollments = await Enrollment.findAll({ where: { id: ids }, order: ['id'], transaction });
    const before = new Map(again.map((enrollment) => [enrollment.id, auditedEnrollment(enrollment)]));
    const records = enrollments.map((enrollment) =>
      enrollmentRecord('enrollment.assign', enrollment.id, entryChanges(before.get(enrollment.id), enrollment)),
    );
    await recordAudit(core, actor, records, transaction);
    if (notify) await queueNews(core, newsOf(undefined, status), enrollments, transaction, replyIn(written));
    return { enrollments, skipped };
  };
  return inCourseQueue(courseId, () => core.database.inTransaction(assign));
}

/** Removes the enrollments of a list, all or none. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function removeMany(core: Core, actor: Actor, input: unknown): Promise<Enrollment[]> {
  const { enrollmentIds } = validate(bulkRemovalSchema, input);
  return removeEnrollments(core, actor, enrollmentIds);
}
