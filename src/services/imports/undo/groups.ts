import type { Transaction } from 'sequelize';
import type { Actor, Core } from '../../core.js';
import { deleteEmptyGroups } from '../../groups/commands.js';
import { changeMemberships } from '../../groups/members.js';
import type { Verdict } from './verdicts.js';

/** Removes the memberships of restored accounts that the rows added, and the groups that the rows created and nobody is in. */
export async function undoGroups(
  core: Core,
  actor: Actor,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<void> {
  const memberships = verdicts.flatMap(({ outcome, userId, note }) =>
    outcome === 'restored'
      ? (note.groups ?? []).map((groupId) => ({ groupId, userId, change: 'remove' as const }))
      : [],
  );
  if (memberships.length > 0) await changeMemberships(core, memberships, 'file', transaction);
  const made = verdicts.flatMap(({ note }) => note.newGroups ?? []);
  if (made.length > 0) await deleteEmptyGroups(core, actor, made, transaction);
}
