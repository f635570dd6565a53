import type { Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import { insertRows } from '../../../db/sql/insert.js';
import { updateAccounts } from '../../accounts/rows.js';
import { recordAudit } from '../../audit/audit.js';
import { applyEnrollmentEffects, type EnrollmentChange } from '../../enrollments/effects.js';
import { changeMemberships, type MembershipChange } from '../../groups/members.js';
import { forceIncrementUserVersions } from '../../locks/row-locks.js';
import { lockPhoneKeys } from '../../phone-country.js';
import { coursesDue, promote } from '../../waiting-list/promotion.js';
import { type Leaving, readLeaving } from '../plan/leaving.js';
import { commitProgress, type ImportRun } from './run-state.js';

/**
 * Takes the members out of a roster who leave by the plan, batch by batch, and gives the free seats to waiting lists: newcomers get
 * what these leave. Does nothing if rows were imported before, because the members left before them.
 */
export async function takeLeaversOut(run: ImportRun, signal: AbortSignal): Promise<void> {
  const { core, plan, record } = run;
  const { roster } = plan;
  if (!roster?.groupId || record.rowsDone > 0) return;
  const courses = new Set<string>();
  const { batchRows } = core.config.imports;
  for (let at = 0; at < roster.leaving.length && !signal.aborted; at += batchRows) {
    const userIds = roster.leaving.slice(at, at + batchRows).map(({ userId }) => userId);
    for (const id of await takeBatchOut(run, roster.groupId, userIds)) courses.add(id);
  }
  if (courses.size > 0) await promote(core, await coursesDue(core, [...courses]), { signal });
}

/** @returns the courses in which a seat may have become free */
async function takeBatchOut(run: ImportRun, groupId: string, userIds: readonly string[]): Promise<string[]> {
  const { core, plan, record } = run;
  let courses: string[] = [];
  await commitProgress(run, {}, async (transaction) => {
    // The plan may be minutes old: members who were removed by hand since don't leave again.
    await forceIncrementUserVersions(core, userIds, transaction);
    const leaving = await readLeaving(core, groupId, userIds, plan.options, transaction);
    courses = leaving.flatMap(({ ended }) => ended.map(({ courseId }) => courseId));
    await write(run, groupId, leaving, transaction);
    return { leftCount: record.leftCount + leaving.length };
  });
  return courses;
}

async function write(
  { core, actor, record }: ImportRun,
  groupId: string,
  leaving: readonly Leaving[],
  transaction: Transaction,
): Promise<void> {
  if (leaving.length === 0) return;
  const { Enrollment, ImportRow } = core.database.models;
  const now = core.now();
  const importId = record.id;
  // People get no mail: it would say that their request was refused.
  const cause = { author: actor, notify: false, importId };
  const changes: EnrollmentChange[] = leaving.flatMap(({ ended }) =>
    ended.map((enrollment) => ({ enrollment, from: enrollment.status, to: 'cancelled' as const, cause })),
  );
  const notes = leaving.map((one) => noteOf(one, groupId, now));
  const cancelled = { status: 'cancelled', cancelReason: 'roster', waitingNumber: null, updatedAt: now } as const;
  const id = changes.map(({ enrollment }) => enrollment.id);
  if (id.length > 0) await Enrollment.update(cancelled, { where: { id }, silent: true, transaction });
  const memberships = leaving.map(
    ({ user: { id: userId }, isDeactivated }): MembershipChange => ({
      groupId,
      userId,
      change: 'leave',
      deactivated: isDeactivated,
      leftAt: now,
    }),
  );
  await changeMemberships(core, memberships, 'file', transaction);
  const deactivated = leaving.filter(({ isDeactivated }) => isDeactivated);
  const updates = deactivated.map(({ user }) => ({
    account: user.get(),
    changes: { isActive: false },
    updatedAt: now,
  }));
  if (updates.length > 0) {
    const phones = await lockPhoneKeys(core, transaction);
    await updateAccounts(core, updates, transaction, { phones, cause: { action: 'user.import', actor, importId } });
  }
  const rows = leaving.map(({ user }, index) => ({
    importId,
    line: -(record.leftCount + index + 1),
    outcome: 'left' as const,
    code: null,
    otherCodes: null,
    userId: user.id,
    reason: null,
    searchKey: null,
    undoJson: JSON.stringify(notes[index]),
    undoOutcome: null,
    undoCode: null,
  }));
  await insertRows(ImportRow, rows, transaction);
  await applyEnrollmentEffects(core, changes, transaction); // effect: leave
  const audit = leaving.flatMap(({ user, ended, isDeactivated }) => {
    if (ended.length === 0 && !isDeactivated) return [];
    const courses = ended.map(({ courseId }) => courseId);
    const before = { ...(courses.length > 0 && { courses }), ...(isDeactivated && { isActive: true }) };
    const after = { importId, ...(isDeactivated && { isActive: false }) };
    return [{ action: 'user.import', targetType: 'user', targetId: user.id, before, after } as const];
  });
  if (audit.length > 0) await recordAudit(core, actor, audit, transaction);
}

/** Returns what undo needs to bring a member back. */
function noteOf({ user, ended, made, isDeactivated }: Leaving, groupId: string, now: Date): UndoNote {
  const revived = ended.map((one) => ({
    id: one.id,
    status: one.status,
    waitingNumber: one.waitingNumber,
    enrolledAt: one.enrolledAt.toISOString(),
    cancelReason: one.cancelReason,
    reply: one.reply,
    replyAt: one.replyAt?.toISOString() ?? null,
    replyBy: one.replyBy,
    updatedAt: now.toISOString(),
  }));
  const before = { isActive: true, updatedAt: user.updatedAt.toISOString() };
  return {
    left: { groupId, enrollmentIds: [...made] },
    ...(revived.length > 0 && { revived }),
    ...(isDeactivated && { before, updatedAt: now.toISOString() }),
  };
}
