import type { presentGroupName } from '../../../presenters/group.js';
import { presentUser, type presentUserDetails } from '../../../presenters/user.js';
import { rowsText } from '../../core/listing/table.js';
import type { Display } from '../../core/output/output.js';
import { signInText } from './columns.js';

type Account = Parameters<typeof presentUser>[0];

/**
 * Returns an account for `--json`, as the API shows it to the super admin. Fields of a new account that were never set
 * become null.
 */
export function accountJson(account: Account): object {
  return Object.fromEntries(Object.entries(presentUser(account)).map(([field, value]) => [field, value ?? null]));
}

/** Returns an account and its groups as a table of fields. The caller prints the lock below. */
export function accountText(
  { lockedUntil: _, ...account }: ReturnType<typeof presentUserDetails>,
  groups: readonly ReturnType<typeof presentGroupName>[],
  display: Display,
): string {
  const shown = { ...account, signsIn: signInText(account), groups: groups.map(({ name }) => name).join(', ') };
  return rowsText(
    ['FIELD', 'VALUE'],
    Object.entries(shown).map(([field, value]) => [
      field,
      value instanceof Date ? value.toISOString() : String(value ?? ''),
    ]),
    display,
  );
}
