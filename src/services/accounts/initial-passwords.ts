import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { hasRole, mustChangePassword } from '../../db/sql/conditions.js';
import { rowsOf } from '../../db/sql/page.js';
import type { Role } from '../../schemas/fields.js';
import type { Core } from '../core.js';
import type { AccountSearch } from './search.js';

/** Up to so many accounts are looked up and sorted. */
const few = 7000;

/** Which accounts are found. */
interface Wanted {
  requiresPasswordChange: boolean;
  role: Role | undefined;
  /** Conditions of other filters and of a search. */
  others: readonly WhereOptions<User>[];
}

/**
 * Finds accounts that must change their initial password, or need not, by an index of that where they are few: they may be
 * anywhere in the order of a page. Many are found so only without other filters, by which another index may find fewer.
 */
export async function byInitialPassword(
  { database }: Core,
  { requiresPasswordChange, role, others }: Wanted,
): Promise<Partial<AccountSearch>> {
  const { User } = database.models;
  const those = { requiresPasswordChange };
  const areFew = (await database.read(() => rowsOf(User, { where: those, order: [] }).count(few + 1))) <= few;
  const isAlone = role === undefined && others.length === 0;
  if (!areFew && !isAlone) return {};
  const where: WhereOptions<User> = { [Op.and]: [those, ...(role === undefined ? [] : [hasRole(role)]), ...others] };
  const part = { where, ...(isAlone && { sortedBy: 'createdAt' }) };
  return { parts: { parts: [part], areFew }, ...(areFew && { all: where }) };
}

/** Matches accounts that must change their password, or need not, for accounts that are read in the order of a page. */
export const passwordFilterInOrder = (requiresPasswordChange: boolean): WhereOptions<User> => ({
  [Op.and]: [mustChangePassword(requiresPasswordChange)],
});
