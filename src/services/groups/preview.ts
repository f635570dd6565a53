import type { Core } from '../core.js';
import { membershipRefusal, superAdminRefusal } from './limits.js';
import { countMemberships, type MembershipChange, type MembershipOutcome } from './members.js';

/** Ids per query. */
const batch = 500;

/**
 * Predicts the outcomes of adding accounts to a group, or of removing them.
 * @param userIds distinct ids of existing accounts
 * @returns the outcomes in the order of the ids
 */
export async function previewMembers(
  core: Core,
  groupId: string,
  change: MembershipChange['change'],
  userIds: readonly string[],
): Promise<Pick<MembershipOutcome, 'outcome' | 'refusal'>[]> {
  const { models, read } = core.database;
  const admins = await read(() => models.User.findAll({ attributes: ['id'], where: { role: 'super_admin' } }));
  const isAdmin = new Set(admins.map(({ id }) => id));
  let members = (await read(() => countMemberships(core, 'groupId', [groupId], null))).get(groupId) ?? 0;
  const outcomes: Pick<MembershipOutcome, 'outcome' | 'refusal'>[] = [];
  for (let at = 0; at < userIds.length; at += batch) {
    const ids = userIds.slice(at, at + batch);
    const where = { groupId, userId: ids };
    const found = await read(() => models.GroupMember.findAll({ attributes: ['userId'], where }));
    const isMember = new Set(found.map(({ userId }) => userId));
    const groupsOf = await read(() => countMemberships(core, 'userId', ids, null));
    for (const id of ids) {
      if (isMember.has(id) === (change === 'add')) outcomes.push({ outcome: 'unchanged' });
      else if (change === 'remove') outcomes.push({ outcome: 'done' });
      else {
        const refusal = isAdmin.has(id) ? superAdminRefusal() : membershipRefusal(groupsOf.get(id) ?? 0, members);
        if (!refusal) members += 1;
        outcomes.push(refusal ? { outcome: 'refused', refusal } : { outcome: 'done' });
      }
    }
  }
  return outcomes;
}
