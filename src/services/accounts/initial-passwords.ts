import { Op, type WhereOptions } from 'sequelize';
import { hasRole, mustChangePassword } from '../../db/conditions.js';
import type { User } from '../../db/models/user.js';
import { rowsOf } from '../../db/page.js';
import type { Role } from '../../schemas/fields.js';
import type { Core } from '../core.js';
import type { FindParts, Parts } from '../paging.js';
import { searchBounds } from '../search-size.js';

/** Which accounts are found. */
interface Wanted {
  requiresPasswordChange: boolean;
  role: Role | undefined;
  /** Conditions of other filters and of a search. */
  others: readonly WhereOptions<User>[];
  /** Whether an index of words finds accounts, too. */
  isSearchedByWords: boolean;
}

/** How accounts are found by an index of whether they must change their password. */
interface ByInitialPassword {
  findParts: FindParts<User>;
  /** The condition of all of them, where they are few. */
  all: WhereOptions<User> | undefined;
}

/**
 * Finds accounts that must change their initial password, or need not, where they are few: they may be anywhere in the order of
 * a page. Many of them are found so only without other filters, by which another index may find fewer.
 */
export async function byInitialPassword(
  { database }: Core,
  { requiresPasswordChange, role, others, isSearchedByWords }: Wanted,
): Promise<ByInitialPassword | undefined> {
  const { User } = database.models;
  const few = isSearchedByWords ? searchBounds.withInitialPassword : searchBounds.sortedApart;
  const those = { requiresPasswordChange };
  const isAlone = role === undefined && others.length === 0;
  const count = (most: number) => database.read(() => rowsOf(User, { where: those, order: [] }).count(most + 1));
  const among = role === undefined ? [] : [hasRole(role)];
  const where: WhereOptions<User> = { [Op.and]: [those, ...among, ...others] };
  const entries = await count(few);
  const isFew = entries <= few;
  if (!isAlone) {
    if (!isFew) return undefined;
    // All are looked up, once for the page and its number.
    const parts: Parts<User> = { parts: [{ where }], entries, some: undefined, rows: 0, inOnePass: true };
    return { findParts: async () => parts, all: where };
  }
  const findParts: FindParts<User> = async (most, sortedBy) => {
    const found = { parts: [{ where, sortedBy: 'createdAt' }], some: undefined, rows: entries };
    // The index has them in this order.
    if (sortedBy === 'createdAt') return { ...found, entries: 0 };
    const counted = isFew || most <= few ? entries : await count(most);
    return { ...found, entries: counted > most ? undefined : counted };
  };
  return { findParts, all: isFew ? where : undefined };
}

/** That an account must change its password, or need not, for accounts that are read in the order of a page. */
export const passwordFilterInOrder = (requiresPasswordChange: boolean): WhereOptions<User> => ({
  [Op.and]: [mustChangePassword(requiresPasswordChange)],
});
