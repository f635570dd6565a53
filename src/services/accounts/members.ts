import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { isMemberByIndex, isMemberByLookup, memberIds } from '../../db/sql/conditions.js';
import type { Core } from '../core.js';
import { type AccountSearch, narrowSearch } from './search.js';

/** Maximum numbers of members for reading and sorting all their accounts, or all their enrollments. */
export const memberBounds = { accounts: 7000, enrollments: 4000 };

/** Conditions for the members of a group. */
interface MemberSearch {
  /** Whether all members may be read. */
  areFew: boolean;
  /** Collects the members first. */
  byIndex: ReturnType<typeof isMemberByIndex>;
  /** Looks up each row of the query. */
  byLookup: ReturnType<typeof isMemberByLookup>;
}

/**
 * Plans how to find the members of a group; an unknown group has none.
 * @param column quoted column with the id of an account
 */
export async function planMemberSearch(
  { database }: Core,
  groupId: string,
  column: '`User`.`id`' | '`Enrollment`.`user_id`',
): Promise<MemberSearch> {
  const { models, sequelize, read } = database;
  const most = memberBounds[column === '`User`.`id`' ? 'accounts' : 'enrollments'];
  const beyond = await read(() =>
    models.GroupMember.findAll({ attributes: ['userId'], where: { groupId }, offset: most, limit: 1, raw: true }),
  );
  return {
    areFew: beyond.length === 0,
    byIndex: isMemberByIndex(sequelize, column, groupId),
    byLookup: isMemberByLookup(sequelize, column, groupId),
  };
}

/** Narrows a search for accounts to the members of a group, if one is given. */
export async function narrowToMembers(
  core: Core,
  found: AccountSearch,
  groupId: string | undefined,
): Promise<AccountSearch> {
  if (groupId === undefined) return found;
  const { areFew, byIndex, byLookup } = await planMemberSearch(core, groupId, '`User`.`id`');
  const narrowed = narrowSearch(found, (condition) => ({ [Op.and]: [byLookup, condition] }));
  if (!areFew && narrowed.parts) return narrowed;
  const where: WhereOptions<User> = { [Op.and]: [byIndex, found.where] };
  const part = areFew
    ? { where }
    : { where: found.where, sortedBy: 'id', idsFrom: memberIds(core.database.sequelize, groupId) };
  return { ...narrowed, parts: { parts: [part], areFew }, all: where };
}
