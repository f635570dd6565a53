import type { findUser } from '../../../services/accounts/queries.js';
import { table } from '../../core/output.js';

/** An account as the services give it. */
export type Account = Awaited<ReturnType<typeof findUser>>;

/** The columns of an account at the terminal: everything but the password. */
const accountFields = [
  'id',
  'firstName',
  'lastName',
  'email',
  'phone',
  'role',
  'isActive',
  'requiresPasswordChange',
  'lastLogin',
  'createdAt',
] as const;

/** An account for `--json`; a new one has fields that were never set. */
export function accountJson(account: Account): object {
  return Object.fromEntries(accountFields.map((field) => [field, account[field] ?? null]));
}

/** An account's fields as text, in the order of {@link accountFields}. */
function accountCells(account: Account): string[] {
  return accountFields.map((field) => {
    const value = account[field];
    return value instanceof Date ? value.toISOString() : String(value ?? '');
  });
}

/** An account for people, a line a field. */
export function accountText(account: Account): string {
  const cells = accountCells(account);
  return table(
    ['FIELD', 'VALUE'],
    accountFields.map((field, index) => [field, cells[index] ?? '']),
  );
}
