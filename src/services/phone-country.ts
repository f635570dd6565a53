import type { Transaction } from 'sequelize';
import { type PhoneKeys, phoneKeysOf } from '../schemas/phone-keys.js';
import type { Core } from './core.js';

/**
 * Id of the row with the country by whose rules phones are compared. The database stores the country, so that all
 * instances use the same. Stored keys of phones depend on the country: services/accounts/rekey-phones.ts changes both
 * together.
 */

const onlyRow = 1;

/** Returns the current rules for keys of phones. */
export async function readPhoneKeys({ database }: Pick<Core, 'database'>): Promise<PhoneKeys> {
  const row = await database.read(() => database.models.PhoneCountry.findByPk(onlyRow, { raw: true }));
  return phoneKeysOf(row?.country ?? '');
}

/** Returns the rules for keys of phones, and locks them until the transaction ends. Call it before storing a phone. */
export async function lockPhoneKeys(
  { database }: Pick<Core, 'database'>,
  transaction: Transaction,
): Promise<PhoneKeys> {
  const lock = transaction.LOCK.SHARE;
  const row = await database.models.PhoneCountry.findByPk(onlyRow, { transaction, lock, raw: true });
  return phoneKeysOf(row?.country ?? '');
}

/** Returns the stored key of a phone. It is null without a phone, because several accounts may have none. */
export const storedPhoneKeys = (phone: string, keys: PhoneKeys) => ({
  phoneKey: phone === '' ? null : keys.keyOf(phone),
});
