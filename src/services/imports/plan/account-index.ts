import { selectRows } from '../../../db/sql/rows.js';
import { inputFields } from '../../../schemas/account-fields.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { Core } from '../../core.js';
import { type FileRow, isRejected } from '../read/rows/rows.js';
import type { ExistingAccount } from './outcomes.js';

export const accountAttributes = [
  'id',
  ...inputFields('import'),
  'phoneKey',
  'mailOff',
  'inviteState',
  'updatedAt',
] as const;

export interface MatchingAccounts {
  byEmail: ReadonlyMap<string, ExistingAccount>;
  byPhone: ReadonlyMap<string, ExistingAccount>;
}

/**
 * Returns the accounts with the emails and phones of the rows. Two queries use the indexes of emails and phones, and a third
 * reads accounts that match by phone only. Nearly all phones belong to accounts that match by email, so the second query
 * reads only the ids, which its index contains.
 */
export async function accountsFor(
  { database }: Core,
  rows: readonly FileRow[],
  { keyOf }: PhoneKeys,
): Promise<MatchingAccounts> {
  const people = rows.flatMap((row) => (isRejected(row) ? [] : [row.person]));
  const emails = people.map(({ email }) => email);
  const phones = people.flatMap(({ phone }) => (phone === undefined ? [] : [keyOf(phone)]));
  const { User } = database.models;
  return database.read(async () => {
    const [withEmail, withPhone] = await Promise.all([
      selectRows(User, accountAttributes, { by: 'email', among: emails }),
      selectRows(User, ['id', 'phoneKey'], { by: 'phoneKey', among: phones }),
    ]);
    const byId = new Map<string, ExistingAccount>(withEmail.map((account) => [account.id, account]));
    const byPhoneAlone = withPhone.flatMap(({ id }) => (byId.has(id) ? [] : [id]));
    for (const account of await selectRows(User, accountAttributes, { by: 'id', among: byPhoneAlone }))
      byId.set(account.id, account);
    const byEmail = new Map<string, ExistingAccount>();
    const byPhone = new Map<string, ExistingAccount>();
    // An account may be created between the queries: if only one query found it, it still counts for both keys.
    for (const account of byId.values()) {
      byEmail.set(account.email, account);
      if (account.phoneKey !== null) byPhone.set(account.phoneKey, account);
    }
    return { byEmail, byPhone };
  });
}
