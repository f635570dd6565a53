import type { Transaction } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { fullName } from '../../db/models/user.js';
import { AppError, validationError } from '../../errors.js';
import { type BulkAssignment, bulkAssignmentSchema, maxOfGroup, maxReply } from '../../schemas/enrollment.js';
import { countCharacters, tooLong } from '../../schemas/fields.js';
import { validate } from '../../schemas/validate.js';
import { auditedEnrollment, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { reserveSeats, takeWaitingNumbers } from '../courses/capacity.js';
import { lockManagedCourse } from '../courses/commands.js';
import { activeTraineesOf } from '../groups/members.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { withNewIds } from '../new-ids.js';
import { applyEnrollmentEffects, notifiesByDefault } from './effects.js';
import { type PreviewedOutcome, previewAssignment } from './preview.js';
import { assertManagesCourse } from './queries.js';
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

/** Assignment with the ids of its trainees. */
type ListAssignment = BulkAssignment & { traineeIds: string[] };

/** Returns the assignment with the ids of its trainees. @throws AppError `VALIDATION`, `NOT_FOUND` for the group */
async function withTraineeIds(core: Core, wanted: BulkAssignment): Promise<ListAssignment> {
  const { traineeIds, groupId, reply = wanted.notes } = wanted;
  const params = { fields: ['groupId'] };
  if (groupId === undefined) {
    if (traineeIds !== undefined) return { ...wanted, traineeIds };
    const message = 'Either traineeIds or groupId is required.';
    throw validationError([{ path: 'traineeIds', code: 'REQUIRED', params, message }]);
  }
  if (traineeIds !== undefined) {
    const message = 'traineeIds and groupId exclude each other.';
    throw validationError([{ path: 'traineeIds', code: 'EXCLUSIVE', params, message }]);
  }
  const ids = await activeTraineesOf(core, groupId, maxOfGroup);
  const most = Math.floor(maxReply / Math.max(ids.length, 1));
  if (reply && countCharacters(reply) > most) {
    const message = `Reply must be at most ${most} characters for ${ids.length} trainees.`;
    throw validationError([{ path: 'reply', ...tooLong(most, message) }]);
  }
  return { ...wanted, traineeIds: ids };
}

/** Previewed outcome for a trainee. */
export interface AssignmentOutcome {
  traineeId: string;
  /** Null unless the account is an active trainee's: others are hidden from trainers. */
  name: string | null;
  outcome: PreviewedOutcome;
}

/** Predicts the outcomes of {@link assignMany}, and changes nothing. */
async function previewMany(core: Core, actor: Actor, wanted: ListAssignment): Promise<AssignmentOutcome[]> {
  const { courseId, traineeIds } = wanted;
  await assertManagesCourse(core, actor, courseId);
  const outcomes = await previewAssignment(core, actor, wanted);
  const { User } = core.database.models;
  const where = { id: traineeIds, role: 'trainee', isActive: true } as const;
  const found = await core.database.read(() => User.findAll({ attributes: ['id', 'firstName', 'lastName'], where }));
  const names = new Map(found.map((user) => [user.id, fullName(user)]));
  return traineeIds.flatMap((traineeId, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : [{ traineeId, name: names.get(traineeId) ?? null, outcome }];
  });
}

async function partitionTrainees(
  core: Core,
  { courseId, traineeIds, status }: ListAssignment,
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
  { status, whenFull }: ListAssignment,
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
 * @returns with `dryRun`, only the `outcomes` that would follow
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`, `COURSE_FULL`, `WAITING_LIST_FULL`
 */
export async function assignMany(
  core: Core,
  actor: Actor,
  input: unknown,
  notify = notifiesByDefault(actor),
): Promise<{ enrollments: Enrollment[]; skipped: SkippedTrainee[]; outcomes?: AssignmentOutcome[] }> {
  const wanted = await withTraineeIds(core, validate(bulkAssignmentSchema, input));
  const { courseId, status, dryRun } = wanted;
  if (dryRun) return { enrollments: [], skipped: [], outcomes: await previewMany(core, actor, wanted) };
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
