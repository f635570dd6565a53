import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { rowQuery } from '../../db/sql/page.js';
import { roles } from '../../schemas/fields.js';
import type { Core } from '../core.js';
import type { AccountSearch } from './search.js';

/** Maximum number of accounts that are read and sorted. */
const maxSorted = 7000;

/** Filter on the first columns of the index `users_state`. Undefined matches all values. */
export type StateFilter = { [Key in keyof State]: State[Key] | undefined };

// A type, because Sequelize accepts no interface as a condition.
type State = Pick<User, 'role' | 'requiresPasswordChange' | 'isActive'>;

/** Returns all states that match a filter. The index sorts the accounts of each state by creation. */
function statesOf({ role, requiresPasswordChange, isActive }: StateFilter): State[] {
  const either = (wanted: boolean | undefined) => (wanted === undefined ? [true, false] : [wanted]);
  // Trainees come first, because most accounts are trainees.
  return (role === undefined ? roles.toReversed() : [role]).flatMap((one) =>
    either(isActive).flatMap((active) =>
      either(requiresPasswordChange).map((must) => ({ role: one, requiresPasswordChange: must, isActive: active })),
    ),
  );
}

/**
 * Plans a search for accounts by role, activation and initial password with the index `users_state`. If few accounts
 * match, all are read, because the matches could be far apart in the order of the page. If many match, the index is
 * used only without other conditions: another index may find fewer accounts.
 * @param others conditions of other filters and of a search
 */
export async function planStateSearch(
  { database }: Core,
  filter: StateFilter,
  others: readonly WhereOptions<User>[],
): Promise<Partial<AccountSearch>> {
  const { User } = database.models;
  const states = statesOf(filter);
  const anyOf = <Key extends keyof State>(key: Key) => [...new Set(states.map((state) => state[key]))];
  const anyState = {
    role: anyOf('role'),
    requiresPasswordChange: anyOf('requiresPasswordChange'),
    isActive: anyOf('isActive'),
  };
  const areFew =
    (await database.read(() => rowQuery(User, { where: anyState, order: [] }).count(maxSorted + 1))) <= maxSorted;
  if (areFew) {
    const where: WhereOptions<User> = { [Op.and]: [anyState, ...others] };
    return { parts: { parts: [{ where }], areFew }, all: where };
  }
  if (others.length > 0) return {};
  return { parts: { parts: states.map((where) => ({ where, sortedBy: 'createdAt' })), areFew } };
}
