import type { Transaction } from 'sequelize';
import { type PhoneKeys, phoneKeysOf } from '../schemas/phone-keys.js';
import type { Core } from './core.js';

/**
 * The country whose way of writing phones counts. It is in the database, so that all instances have the same, and the keys of the
 * phones are made for it: services/accounts/rekey-phones.ts changes both together.
 */

const onlyRow = 1;

/** How phones are told apart at this moment. */
export async function readPhoneKeys({ database }: Pick<Core, 'database'>): Promise<PhoneKeys> {
  const row = await database.read(() => database.models.PhoneCountry.findByPk(onlyRow, { raw: true }));
  return phoneKeysOf(row?.country ?? '');
}

/** How phones are told apart until the transaction ends: for all that store a phone. */
export async function lockPhoneKeys(
  { database }: Pick<Core, 'database'>,
  transaction: Transaction,
): Promise<PhoneKeys> {
  const lock = transaction.LOCK.SHARE;
  const row = await database.models.PhoneCountry.findByPk(onlyRow, { transaction, lock, raw: true });
  return phoneKeysOf(row?.country ?? '');
}

/** The stored keys of a phone; null for an account without one, of which there may be several. */
export const storedPhoneKeys = (phone: string, keys: PhoneKeys) => ({
  phoneKey: phone === '' ? null : keys.keyOf(phone),
});
