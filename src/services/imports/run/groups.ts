import { insertGroup } from '../../groups/commands.js';
import { changeMemberships } from '../../groups/members.js';
import { type Decision, groupsOf, type PlannedGroup } from '../plan/outcomes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import type { BatchContext } from './accounts.js';
import { StaleDecision } from './run-state.js';

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
  const joining = decisions.flatMap((decision) => {
    const { userId = null, note } = ledger.get(decision.row.line) ?? {};
    return userId === null || !note ? [] : groupsOf(decision).map((group) => ({ userId, note, group }));
  });
  if (joining.length === 0) return;
  const ids = await findOrCreate(context, joining);
  const changes = joining.map(({ userId, note, group }) => {
    const groupId = ids.get(group.key) ?? '';
    note.groups = [...(note.groups ?? []), groupId];
    return { groupId, userId, change: 'add' as const };
  });
  const outcomes = await changeMemberships(context.core, changes, 'file', context.transaction);
  if (outcomes.some(({ outcome }) => outcome !== 'done')) throw new StaleDecision();
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
