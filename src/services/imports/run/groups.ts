import type { Transaction } from 'sequelize';
import type { FormerMember } from '../../../db/models/group.js';
import { insertRows } from '../../../db/sql/insert.js';
import { comparableTitle } from '../../courses/find-course.js';
import { insertGroup } from '../../groups/commands.js';
import { changeMemberships } from '../../groups/members.js';
import { completeSync, findRoster } from '../../groups/rosters.js';
import { type Decision, groupsOf, type PlannedGroup } from '../plan/outcomes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import type { BatchContext } from './accounts.js';
import type { PlannedEnrollmentChange } from './enrollments.js';
import { type ImportRun, StaleDecision } from './run-state.js';

/**
 * Adds the people of a batch to their groups, creates missing groups, and records both in the undo notes. The accounts must
 * exist.
 * @throws StaleDecision if a group was deleted or is full since the decision; AppError `GROUP_EXISTS`, `GROUP_LIMIT`
 */
export async function joinGroups(
  context: BatchContext,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> {
  const { roster } = context.options;
  const rosterKey = roster === undefined ? undefined : comparableTitle(roster);
  const joining = decisions.flatMap((decision) => {
    const { userId = null, note } = ledger.get(decision.row.line) ?? {};
    const isNew = decision.outcome === 'created';
    return userId === null || !note
      ? []
      : groupsOf(decision).map((group) => ({
          userId,
          note,
          group,
          createdAccount: isNew && group.key === rosterKey,
        }));
  });
  if (joining.length === 0) return;
  const ids = await findOrCreate(context, joining);
  const changes = joining.map(({ userId, group, createdAccount }) => {
    const groupId = ids.get(group.key) ?? '';
    return { groupId, userId, change: 'add' as const, createdAccount };
  });
  const outcomes = await changeMemberships(context.core, changes, 'file', context.transaction);
  if (outcomes.some(({ outcome }) => outcome !== 'done')) throw new StaleDecision();
  for (const [index, { groupId, former }] of outcomes.entries()) {
    const note = joining[index]?.note;
    if (!note) continue;
    if (!former) note.groups = [...(note.groups ?? []), groupId];
    else note.rejoined = [...(note.rejoined ?? []), { groupId, ...rejoinedNote(former) }];
  }
}

const rejoinedNote = ({ addedAt, leftAt, deactivated }: FormerMember) => ({
  addedAt: addedAt.toISOString(),
  leftAt: leftAt.toISOString(),
  deactivated,
});

/**
 * Assigns the enrollments of a batch to the roster of the import, so that they end when their people leave. The enrollments
 * must exist.
 */
export async function assignToRoster(
  { core, options, transaction }: BatchContext,
  decisions: readonly Decision[],
  changes: readonly PlannedEnrollmentChange[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> {
  if (options.roster === undefined) return;
  const claims = decisions.flatMap((decision) => {
    const { note } = ledger.get(decision.row.line) ?? {};
    if (decision.outcome === 'rejected' || !note) return [];
    return (decision.claims ?? []).map((id) => ({ id, note }));
  });
  // Undo removes new enrollments together with their claims.
  const renewed = changes.flatMap(({ planned, note }) => (planned.earlier ? [{ id: planned.earlier.id, note }] : []));
  const enrollmentId = [...changes.map(({ enrollment }) => enrollment.id), ...claims.map(({ id }) => id)];
  if (enrollmentId.length === 0) return;
  const group = await findRoster(core, options.roster, transaction);
  if (!group) throw new StaleDecision();
  const groupId = group.id;
  const { GroupEnrollment } = core.database.models;
  const known = await GroupEnrollment.findAll({ where: { groupId, enrollmentId }, transaction });
  const isKnown = new Set(known.map((one) => one.enrollmentId));
  for (const { id, note } of [...claims, ...renewed])
    if (!isKnown.has(id)) note.claims = { groupId, enrollmentIds: [...(note.claims?.enrollmentIds ?? []), id] };
  const added = enrollmentId.filter((id) => !isKnown.has(id)).map((id) => ({ groupId, enrollmentId: id }));
  await insertRows(GroupEnrollment, added, transaction);
}

/** Records the end of a sync in its group. Without an accepted row, there is no group yet. */
export async function finishRoster({ core, actor, plan, record }: ImportRun, transaction: Transaction): Promise<void> {
  const { options, rejects } = plan;
  const group = options.roster === undefined ? null : await findRoster(core, options.roster, transaction);
  if (!group) return;
  const { id: importId, leftCount: left } = record;
  await completeSync(core, actor, group, { options, rejects, importId, left }, transaction);
}

/** Returns the ids of groups by key. Earlier batches may have created groups that were missing when this one was decided. */
async function findOrCreate(
  { core, actor, importId, transaction }: BatchContext,
  joining: readonly { note: LedgerEntry['note']; group: PlannedGroup }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const missing = new Set<string>();
  for (const { group } of joining)
    if (group.id === undefined) missing.add(group.key);
    else ids.set(group.key, group.id);
  const { Group } = core.database.models;
  const made = await Group.findAll({ attributes: ['id', 'nameKey'], where: { nameKey: [...missing] }, transaction });
  for (const { id, nameKey } of made) ids.set(nameKey, id);
  for (const { note, group } of joining) {
    if (ids.has(group.key)) continue;
    const created = await insertGroup(core, actor, { name: group.name, importId }, transaction);
    ids.set(group.key, created.id);
    note.newGroups = [...(note.newGroups ?? []), created.id];
  }
  return ids;
}
