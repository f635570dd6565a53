import { presentUser, type presentUserDetails } from '../../../presenters/user.js';
import { rowsText } from '../../core/listing/table.js';
import type { Display } from '../../core/output/output.js';

/** An account as the services give it. */
type Account = Parameters<typeof presentUser>[0];

/** An account for `--json`, as the API shows it to the super admin; a new one has fields that were never set. */
export function accountJson(account: Account): object {
  return Object.fromEntries(Object.entries(presentUser(account)).map(([field, value]) => [field, value ?? null]));
}

/** An account for people, a line a field. Its lock is told below. */
export function accountText(
  { lockedUntil: _, ...account }: ReturnType<typeof presentUserDetails>,
  display: Display,
): string {
  return rowsText(
    ['FIELD', 'VALUE'],
    Object.entries(account).map(([field, value]) => [
      field,
      value instanceof Date ? value.toISOString() : String(value ?? ''),
    ]),
    display,
  );
}
