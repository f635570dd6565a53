import type { Transaction } from 'sequelize';
import { insertRows } from '../../../db/sql/insert.js';
import type { Actor, Core } from '../../core.js';
import { deleteEmptyGroups } from '../../groups/commands.js';
import { changeMemberships, type MembershipChange } from '../../groups/members.js';
import type { Verdict } from './verdicts.js';

/**
 * Undoes the changes of restored accounts' memberships: removes added ones, ends renewed ones, and renews those of members who left.
 * Then removes the groups that the rows created and nobody is in.
 */
export async function undoGroups(
  core: Core,
  actor: Actor,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<void> {
  const restored = verdicts.filter(({ outcome }) => outcome === 'restored');
  const memberships = restored.flatMap(membershipChanges);
  if (memberships.length > 0) await changeMemberships(core, memberships, 'file', transaction);
  await undoClaims(core, restored, transaction);
  const made = verdicts.flatMap(({ note }) => note.newGroups ?? []);
  if (made.length > 0) await deleteEmptyGroups(core, actor, made, transaction);
}

function membershipChanges({ userId, note: { groups = [], rejoined = [], left } }: Verdict): MembershipChange[] {
  return [
    ...groups.map((groupId) => ({ groupId, userId, change: 'remove' as const })),
    ...rejoined.map(({ groupId, leftAt, deactivated }) => ({
      groupId,
      userId,
      change: 'leave' as const,
      leftAt: new Date(leftAt),
      deactivated,
    })),
    ...(left ? [{ groupId: left.groupId, userId, change: 'add' as const }] : []),
  ];
}

/** Removes what the rows assigned to rosters, and assigns the enrollments of members who left to their roster again. */
async function undoClaims(core: Core, restored: readonly Verdict[], transaction: Transaction): Promise<void> {
  const { Enrollment, Group, GroupEnrollment } = core.database.models;
  for (const { note } of restored) {
    const { groupId, enrollmentIds: enrollmentId } = note.claims ?? {};
    if (groupId !== undefined && enrollmentId)
      await GroupEnrollment.destroy({ where: { groupId, enrollmentId }, transaction });
  }
  const left = restored.flatMap(({ note }) => note.left ?? []);
  if (left.length === 0) return;
  const id = left.flatMap(({ enrollmentIds }) => enrollmentIds);
  const enrollments = await Enrollment.findAll({ attributes: ['id'], where: { id }, transaction });
  const groups = await Group.findAll({
    attributes: ['id'],
    where: { id: left.map((one) => one.groupId) },
    transaction,
  });
  const exists = new Set([...enrollments, ...groups].map((one) => one.id));
  const rows = left.flatMap(({ groupId, enrollmentIds }) =>
    exists.has(groupId)
      ? enrollmentIds.flatMap((one) => (exists.has(one) ? [{ groupId, enrollmentId: one }] : []))
      : [],
  );
  await insertRows(GroupEnrollment, rows, transaction);
}
