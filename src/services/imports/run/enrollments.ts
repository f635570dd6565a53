import type { Transaction } from 'sequelize';
import type { Course } from '../../../db/models/course.js';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { BulkInserter } from '../../../db/sql/insert.js';
import type { Core } from '../../core.js';
import { type Occupancy, readOccupancy, takeWaitingNumbers, Vacancies } from '../../courses/capacity.js';
import type { EnrollmentChange } from '../../enrollments/effects.js';
import { replyOf } from '../../enrollments/rules.js';
import { addEnrollments } from '../../enrollments/store.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../../locks/row-locks.js';
import { withNewIds } from '../../new-ids.js';
import {
  type Decision,
  type EarlierEnrollment,
  enrollmentsToNotify,
  type PlannedEnrollment,
  takesSeat,
} from '../plan/outcomes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import type { BatchContext } from './accounts.js';
import { StaleDecision } from './run-state.js';

/** Groups the enrollments of a batch by course, in the order of its rows. */
function enrollmentsByCourse(decisions: readonly Decision[]): Map<string, PlannedEnrollment[]> {
  const byCourse = new Map<string, PlannedEnrollment[]>();
  for (const one of decisions.flatMap((decision) => (decision.outcome === 'rejected' ? [] : decision.enrollments))) {
    const others = byCourse.get(one.course.id);
    if (others) others.push(one);
    else byCourse.set(one.course.id, [one]);
  }
  return byCourse;
}

/**
 * Locks the courses, makes sure that they match the decisions and have enough places, and numbers the enrollments that join a
 * waiting list.
 * @returns the numbers of enrollments on waiting lists, in the order of the rows
 * @throws StaleDecision
 */
export async function lockCourses(
  core: Core,
  decisions: readonly Decision[],
  transaction: Transaction,
): Promise<ReadonlyMap<PlannedEnrollment, number>> {
  const wanted = enrollmentsByCourse(decisions);
  const numbers = new Map<PlannedEnrollment, number>();
  if (wanted.size === 0) return numbers;
  await forceIncrementCourseVersions(core, [...wanted.keys()], transaction);
  const limited = [...wanted.values()].flatMap(([one]) =>
    one && one.course.maxStudents !== null ? [one.course.id] : [],
  );
  const occupancy = await readOccupancy(core, limited, transaction);
  const courses = await core.database.models.Course.findAll({
    attributes: ['id', 'trainerId', 'maxStudents', 'waitingMax', 'waitingCounter'],
    where: { id: [...wanted.keys()] },
    transaction,
  });
  if (courses.length < wanted.size) throw new StaleDecision();
  for (const course of courses) {
    const planned = wanted.get(course.id) ?? [];
    if (!matchesDecisions(course, planned, occupancy(course.id))) throw new StaleDecision();
    const joining = planned.filter((one) => !takesSeat(one));
    let number = await takeWaitingNumbers(core, course, joining.length, transaction);
    for (const one of joining) numbers.set(one, number++);
  }
  return numbers;
}

/** Whether a locked course matches the decisions, and has enough places for their enrollments. */
function matchesDecisions(course: Course, planned: readonly PlannedEnrollment[], occupancy: Occupancy): boolean {
  const { trainerId, maxStudents } = course;
  const isSame = ({ course: known }: PlannedEnrollment) =>
    trainerId === known.trainerId && (maxStudents === null) === (known.maxStudents === null);
  const free = new Vacancies(course, occupancy);
  return planned.every(
    (one) => isSame(one) && (takesSeat(one) ? free.takeSeat(one.isOnWaitingList ?? false) : free.joinWaitingList()),
  );
}

/** Locks existing accounts that are enrolled, and makes sure that they are active trainees. @throws StaleDecision */
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

function enrolledAccountIds(decisions: readonly Decision[], ledger: ReadonlyMap<number, LedgerEntry>): string[] {
  const accounts = (wanted: (decision: Decision) => boolean) =>
    new Set(decisions.flatMap((one) => (wanted(one) ? (ledger.get(one.row.line)?.userId ?? []) : [])));
  const created = accounts(({ outcome }) => outcome === 'created');
  const enrolled = accounts((one) => one.outcome !== 'rejected' && one.enrollments.length > 0);
  return [...enrolled].filter((id) => !created.has(id));
}

/** A planned enrollment with the account of its row, as a change from the earlier enrollment, if any. */
export interface PlannedEnrollmentChange extends EnrollmentChange {
  planned: PlannedEnrollment;
  note: UndoNote;
}

/** Pairs the enrollments of a batch with the accounts of their rows. New enrollments get ids. */
export function enrollmentChangesOf(
  { actor, importId, options }: BatchContext,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): PlannedEnrollmentChange[] {
  return decisions.flatMap((decision) => {
    const { userId, note } = ledger.get(decision.row.line) ?? {};
    if (decision.outcome === 'rejected' || decision.enrollments.length === 0 || !userId || !note) return [];
    const mailed = enrollmentsToNotify(options, decision);
    return withNewIds(decision.enrollments).map(([newId, planned]) => {
      const { course, earlier, reply, status: to } = planned;
      const enrollment = { id: earlier?.id ?? newId, userId, courseId: course.id, trainerId: course.trainerId };
      const cause = { author: actor, notify: mailed.includes(planned), reply, importId };
      return { planned, note, enrollment, from: earlier?.status, to, cause };
    });
  });
}

/** Creates the new enrollments of a batch, and records them in the undo notes. */
export async function enroll(
  { core, actor, now, waitingNumbers }: BatchContext,
  changes: readonly PlannedEnrollmentChange[],
  inserts: BulkInserter,
): Promise<void> {
  const rows = changes
    .filter(({ planned }) => !planned.earlier)
    .map(({ planned, note, enrollment }) => {
      note.enrollments = [...(note.enrollments ?? []), enrollment.id];
      const waitingNumber = waitingNumbers.get(planned) ?? null;
      return { ...enrollment, status: planned.status, waitingNumber, ...replyOf(actor, { reply: planned.reply }, now) };
    });
  await addEnrollments(core, rows, now, inserts);
}

/** Renews ended enrollments, and gives seats to waiting ones. @throws StaleDecision as {@link revive} */
export async function reviveEnrollments(
  context: BatchContext,
  changes: readonly PlannedEnrollmentChange[],
): Promise<void> {
  for (const { planned, note } of changes) if (planned.earlier) await revive(context, planned, planned.earlier, note);
}

/** Renews an existing enrollment. @throws StaleDecision if another process changed or removed it */
async function revive(
  { core, actor, transaction, now, waitingNumbers }: BatchContext,
  planned: PlannedEnrollment,
  earlier: EarlierEnrollment,
  note: UndoNote,
): Promise<void> {
  const { status, reply } = planned;
  const { id } = earlier;
  const written = reply === null ? {} : replyOf(actor, { reply }, now);
  const [revived] = await core.database.models.Enrollment.update(
    {
      status,
      waitingNumber: waitingNumbers.get(planned) ?? null,
      enrolledAt: now,
      updatedAt: now,
      cancelReason: null,
      ...written,
    },
    { where: { id, status: earlier.status }, silent: true, transaction },
  );
  if (revived !== 1) throw new StaleDecision();
  const before = {
    id,
    status: earlier.status,
    waitingNumber: earlier.waitingNumber,
    enrolledAt: earlier.enrolledAt.toISOString(),
    cancelReason: earlier.cancelReason,
    reply: earlier.reply,
    replyAt: earlier.replyAt?.toISOString() ?? null,
    replyBy: earlier.replyBy,
    updatedAt: now.toISOString(),
  };
  note.revived = [...(note.revived ?? []), before];
}
