import type { Core } from '../core.js';
import { superAdminRefusal } from './limits.js';
import type { MembershipChange, MembershipOutcome } from './members.js';

/** Ids per query. */
const batch = 500;

/**
 * Predicts the outcomes of adding accounts to a group, or of removing them. Doesn't predict `GROUP_LIMIT`.
 * @param userIds ids of existing accounts
 * @returns the outcomes in the order of the ids
 */
export async function previewMembers(
  { database }: Core,
  groupId: string,
  change: MembershipChange['change'],
  userIds: readonly string[],
): Promise<Pick<MembershipOutcome, 'outcome' | 'refusal'>[]> {
  const { models, read } = database;
  const admins = await read(() => models.User.findAll({ attributes: ['id'], where: { role: 'super_admin' } }));
  const isAdmin = new Set(admins.map(({ id }) => id));
  const isMember = new Set<string>();
  for (let at = 0; at < userIds.length; at += batch) {
    const where = { groupId, userId: userIds.slice(at, at + batch) };
    const members = await read(() => models.GroupMember.findAll({ attributes: ['userId'], where }));
    for (const { userId } of members) isMember.add(userId);
  }
  return userIds.map((id) => {
    if (isMember.has(id) === (change === 'add')) return { outcome: 'unchanged' };
    const isRefused = change === 'add' && isAdmin.has(id);
    return isRefused ? { outcome: 'refused', refusal: superAdminRefusal() } : { outcome: 'done' };
  });
}
