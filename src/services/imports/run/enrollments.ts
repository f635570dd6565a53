import type { Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { Inserts } from '../../../db/sql/insert.js';
import type { Core } from '../../core.js';
import { replyOf } from '../../enrollments/rules.js';
import { addEnrollments } from '../../enrollments/store.js';
import { countReservedSeats } from '../../locks/capacity.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../../locks/row-locks.js';
import { withNewIds } from '../../new-ids.js';
import { type CourseReference, type Decision, type PlannedEnrollment, takesSeat } from '../plan/outcomes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import type { BatchContext } from './accounts.js';
import { StaleDecision } from './run-state.js';

/**
 * Locks the courses, makes sure that they are as the decisions assumed, and reserves seats.
 * @throws StaleDecision
 */
export async function assertCourses(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<void> {
  const wanted = new Map<string, { course: CourseReference; count: number }>();
  for (const decision of decisions) {
    if (decision.outcome === 'rejected') continue;
    for (const planned of decision.enrollments) {
      const { course } = planned;
      wanted.set(course.id, { course, count: (wanted.get(course.id)?.count ?? 0) + Number(takesSeat(planned)) });
    }
  }
  if (wanted.size === 0) return;
  await forceIncrementCourseVersions(core, [...wanted.keys()], transaction);
  const limited = [...wanted.values()].filter(({ course }) => course.maxStudents !== null);
  const limitedIds = limited.map(({ course }) => course.id);
  const taken =
    limited.length > 0 ? await countReservedSeats(core, limitedIds, transaction) : new Map<string, number>();
  const courses = await core.database.models.Course.findAll({
    attributes: ['id', 'trainerId', 'maxStudents'],
    where: { id: [...wanted.keys()] },
    transaction,
  });
  if (courses.length < wanted.size) throw new StaleDecision();
  for (const { id, trainerId, maxStudents } of courses) {
    const { course, count } = wanted.get(id) ?? {};
    if (trainerId !== course?.trainerId || (maxStudents === null) !== (course.maxStudents === null))
      throw new StaleDecision();
    const seats = (taken.get(id) ?? 0) + (count ?? 0);
    if (maxStudents !== null && seats > maxStudents) throw new StaleDecision();
  }
}

/**
 * Locks existing accounts that are enrolled, and makes sure that they are active trainees.
 * @throws StaleDecision
 */
export async function assertTrainees(
  { core, transaction }: BatchContext,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> {
  const ids = enrolledAccountIds(decisions, ledger);
  if (ids.length === 0) return;
  const people = await forceIncrementUserVersions(core, ids, transaction);
  if (people.length < ids.length || people.some(({ role, isActive }) => role !== 'trainee' || !isActive))
    throw new StaleDecision();
}

/** The accounts that are there already and get enrollments. */
function enrolledAccountIds(decisions: readonly Decision[], ledger: ReadonlyMap<number, LedgerEntry>): string[] {
  const accounts = (wanted: (decision: Decision) => boolean) =>
    new Set(decisions.flatMap((one) => (wanted(one) ? (ledger.get(one.row.line)?.userId ?? []) : [])));
  const created = accounts(({ outcome }) => outcome === 'created');
  const enrolled = accounts((one) => one.outcome !== 'rejected' && one.enrollments.length > 0);
  return [...enrolled].filter((id) => !created.has(id));
}

/** Makes the new enrollments of a batch, and notes them. */
export async function enroll(
  { core, actor, now }: BatchContext,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
  inserts: Inserts,
): Promise<void> {
  const enrollments = decisions.flatMap((decision) => {
    const entry = ledger.get(decision.row.line);
    if (decision.outcome === 'rejected' || !entry?.userId || decision.enrollments.length === 0) return [];
    const { userId, note } = entry;
    const fresh = withNewIds(decision.enrollments.filter(({ left }) => !left));
    if (fresh.length === 0) return [];
    note.enrollments = fresh.map(([id]) => id);
    return fresh.map(([id, { course, status, reply }]) => ({
      id,
      userId,
      courseId: course.id,
      trainerId: course.trainerId,
      status,
      ...replyOf(actor, { reply }, now),
    }));
  });
  await addEnrollments(core, enrollments, now, inserts);
}

/** Enrolls those again who had left. @throws StaleDecision as {@link revive} */
export async function reviveEnrollments(
  context: BatchContext,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> {
  for (const decision of decisions) {
    const note = ledger.get(decision.row.line)?.note;
    if (decision.outcome === 'rejected' || !note) continue;
    for (const planned of decision.enrollments) await revive(context, planned, note);
  }
}

/** Enrolls somebody again who had left. @throws StaleDecision when another process did, or the enrollment is gone */
async function revive(
  { core, actor, transaction, now }: BatchContext,
  { status, reply, left }: PlannedEnrollment,
  note: UndoNote,
): Promise<void> {
  if (!left) return;
  const { id } = left;
  const written = reply === null ? {} : replyOf(actor, { reply }, now);
  const [revived] = await core.database.models.Enrollment.update(
    { status, waitingNumber: null, enrolledAt: now, updatedAt: now, cancelReason: null, ...written },
    { where: { id, status: left.status }, silent: true, transaction },
  );
  if (revived !== 1) throw new StaleDecision();
  const before = {
    id,
    status: left.status,
    waitingNumber: left.waitingNumber,
    enrolledAt: left.enrolledAt.toISOString(),
    cancelReason: left.cancelReason,
    reply: left.reply,
    replyAt: left.replyAt?.toISOString() ?? null,
    replyBy: left.replyBy,
    updatedAt: now.toISOString(),
  };
  note.revived = [...(note.revived ?? []), before];
}
