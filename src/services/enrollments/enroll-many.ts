import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError } from '../../errors.js';
import { type BulkAssignment, bulkAssignmentSchema } from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import { auditedEnrollment, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { reserveSeats, takeWaitingNumbers } from '../courses/capacity.js';
import { lockManagedCourse } from '../courses/commands.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { withNewIds } from '../new-ids.js';
import { applyEnrollmentEffects, notifiesByDefault } from './effects.js';
import { assignmentRefusal, replyOf } from './rules.js';
import { auditedChanges, enrollmentRecord, insertEnrollments } from './store.js';
import { addPlacesAfterChange } from './waiting-places.js';

export interface SkippedTrainee {
  traineeId: string;
  refusal: AppError;
}

/** Trainee to enroll. `existing` is the enrollment to revive, if any. */
interface TraineeToEnroll {
  traineeId: string;
  existing: Enrollment | null;
}

/** Trainees to enroll, in the given order, and skipped trainees. */
interface PartitionedTrainees {
  toEnroll: TraineeToEnroll[];
  skipped: SkippedTrainee[];
}

async function partitionTrainees(
  core: Core,
  { courseId, traineeIds, status }: BulkAssignment,
  transaction: Transaction,
): Promise<PartitionedTrainees> {
  const { Enrollment } = core.database.models;
  const users = await forceIncrementUserVersions(core, traineeIds, transaction);
  const trainees = new Map(users.filter(({ role }) => role === 'trainee').map((user) => [user.id, user]));
  const enrollments = await Enrollment.findAll({
    where: { courseId, userId: traineeIds },
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  const all = new Map(enrollments.map((enrollment) => [enrollment.userId, enrollment]));
  const partitioned: PartitionedTrainees = { toEnroll: [], skipped: [] };
  for (const traineeId of traineeIds) {
    const existing = all.get(traineeId) ?? null;
    const refusal = assignmentRefusal(trainees.get(traineeId) ?? null, existing, status);
    if (refusal) partitioned.skipped.push({ traineeId, refusal });
    else partitioned.toEnroll.push({ traineeId, existing });
  }
  return partitioned;
}

/**
 * Reserves seats or places on the waiting list, for trainees in the given order.
 * @returns `placed`: trainees who are enrolled or join the waiting list; `kept`: trainees who stay on the waiting list
 * @throws AppError `COURSE_FULL`, `WAITING_LIST_FULL`
 */
async function assignPlaces(
  core: Core,
  course: Course,
  toEnroll: readonly TraineeToEnroll[],
  { status, whenFull }: BulkAssignment,
  transaction: Transaction,
) {
  const onList = toEnroll.map(({ existing }) => existing?.status === 'waiting');
  const places = await reserveSeats(core, course, onList, whenFull, transaction);
  const joining = places.filter((place) => place === 'joined').length;
  let waitingNumber = await takeWaitingNumbers(core, course, joining, transaction);
  const placed = toEnroll.map((one, index) => {
    const place = places[index];
    if (place === 'joined') return { ...one, place, status: 'waiting' as const, waitingNumber: waitingNumber++ };
    return { ...one, place, status, waitingNumber: null };
  });
  return {
    placed: placed.filter(({ place }) => place !== 'kept'),
    kept: placed.filter(({ place }) => place === 'kept'),
  };
}

/**
 * Enrolls many trainees in a course, or adds them to its waiting list. Skips trainees that can't be enrolled. Enrolls nobody if the course
 * would exceed its capacity.
 * @param notify whether enrolled trainees get a mail
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`, `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function assignMany(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = notifiesByDefault(actor),
): Promise<{ enrollments: Enrollment[]; skipped: SkippedTrainee[] }> {
  const wanted = validate(bulkAssignmentSchema, input);
  const { courseId, status } = wanted;
  const written = replyOf(actor, wanted, core.now());
  const { Enrollment } = core.database.models;
  const assign = async (transaction: Transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    const { toEnroll, skipped } = await partitionTrainees(core, wanted, transaction);
    const { placed, kept } = await assignPlaces(core, course, toEnroll, wanted, transaction);
    for (const { traineeId } of kept) skipped.push({ traineeId, refusal: new AppError('ALREADY_ENROLLED') });
    const now = core.now();
    const { trainerId } = course;
    const fresh = withNewIds(placed.filter(({ existing }) => !existing));
    const rows = fresh.map(([id, { traineeId: userId, status, waitingNumber }]) => ({
      id,
      userId,
      courseId,
      trainerId,
      status,
      waitingNumber,
      ...written,
    }));
    await insertEnrollments(core, rows, now, transaction);
    const revived = placed.flatMap(({ existing, ...place }) => (existing ? [{ existing, ...place }] : []));
    const before = new Map(
      revived.map(({ existing }) => [existing.id, { from: existing.status, audited: auditedEnrollment(existing) }]),
    );
    const change = { enrolledAt: now, cancelReason: null, ...written };
    const seated = revived.filter(({ place }) => place === 'seat').map(({ existing }) => existing.id);
    if (seated.length > 0)
      await Enrollment.update({ status, waitingNumber: null, ...change }, { where: { id: seated }, transaction });
    // Updated one by one, because each gets a different number. They are few.
    for (const { existing, status, waitingNumber, place } of revived)
      if (place === 'joined') await existing.update({ status, waitingNumber, ...change }, { transaction });
    const ids = [...rows.map(({ id }) => id), ...revived.map(({ existing }) => existing.id)];
    const enrollments = await Enrollment.findAll({ where: { id: ids }, order: ['id'], transaction });
    const records = enrollments.map((enrollment) =>
      enrollmentRecord(
        'enrollment.assign',
        enrollment.id,
        auditedChanges(before.get(enrollment.id)?.audited, enrollment),
      ),
    );
    await recordAudit(core, actor, records, transaction);
    const cause = { author: actor, notify, reply: written.reply };
    const changes = enrollments.map((enrollment) => {
      const { from } = before.get(enrollment.id) ?? {};
      return { enrollment, from, to: enrollment.status, cause };
    });
    await applyEnrollmentEffects(core, changes, transaction); // effect: assignments
    return { enrollments, skipped };
  };
  const assigned = await inCourseQueue(courseId, () => core.database.inTransaction(assign));
  await addPlacesAfterChange(core, assigned.enrollments);
  return assigned;
}
