import { Op, type Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { updateRows } from '../../db/sql/update.js';
import { AppError } from '../../errors.js';
import { isCountry, type PhoneKeys, phoneKeysOf } from '../../schemas/phone-keys.js';
import type { Core } from '../core.js';

/** Accounts read at once. */
const batchAccounts = 1000;

/** Conflicts that are listed; a country with more is the wrong one. */
const listedConflicts = 100;

const holderFields = ['id', 'firstName', 'lastName', 'email', 'phone'] as const;

/** Accounts whose phones would be the same. */
export interface PhoneConflict {
  key: string;
  accounts: Pick<User, (typeof holderFields)[number]>[];
}

/** The outcome of a choice. */
export interface Rekeyed {
  /** Two letters; null for none. */
  country: string | null;
  /** Accounts with another key than before. */
  changed: number;
  /** Empty unless the choice was refused. */
  conflicts: readonly PhoneConflict[];
  /** The search ended at the limit: there may be more. */
  hasMore: boolean;
}

/** @param country null for none @throws AppError `USAGE` unless it is the two letters of a country, in capitals */
export async function assertCountry(country: string | null): Promise<void> {
  if (country === null || (await isCountry(country))) return;
  const known = 'Give the two letters of a country with phones, such as DE, or "none".';
  throw new AppError('USAGE', `The country ${JSON.stringify(country)} is not known. ${known}`);
}

/**
 * Chooses the country whose way of writing phones counts, with the keys of all accounts, in one transaction. Writers of phones
 * wait for it, because they lock the row of the country: the service should be stopped.
 * @param country two letters in capitals; null for none
 * @throws AppError `USAGE` for an unknown country, `INTERRUPTED`
 */
export async function rekeyPhones(core: Core, country: string | null, signal?: AbortSignal): Promise<Rekeyed> {
  await assertCountry(country);
  const keys = await phoneKeysOf(country ?? '');
  const { PhoneCountry, User } = core.database.models;
  return core.database.inTransaction(async (transaction) => {
    const row = await PhoneCountry.findByPk(1, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
    const { changes, conflicts } = await compareKeys(core, keys, transaction, signal);
    const hasMore = conflicts.length >= listedConflicts;
    if (conflicts.length > 0) return { country, changed: 0, conflicts, hasMore };
    // Another account may have had the key.
    await updateRows(
      User,
      changes.map(({ id }) => ({ id, phoneKey: null })),
      transaction,
    );
    await updateRows(User, changes, transaction);
    await row.update({ country: keys.country }, { transaction });
    return { country, changed: changes.length, conflicts, hasMore };
  });
}

/** Makes the keys of all phones, and finds accounts that would have the same, up to the limit. @throws AppError `INTERRUPTED` */
async function compareKeys(
  { database }: Core,
  { keyOf }: PhoneKeys,
  transaction: Transaction,
  signal: AbortSignal | undefined,
) {
  const { User } = database.models;
  const changes: { id: string; phoneKey: string }[] = [];
  const holders = new Map<string, string>();
  const shared = new Map<string, string[]>();
  for (let after: string | undefined = ''; after !== undefined && shared.size < listedConflicts; ) {
    if (signal?.aborted) throw new AppError('INTERRUPTED');
    const batch: Pick<User, 'id' | 'phone' | 'phoneKey'>[] = await User.findAll({
      attributes: ['id', 'phone', 'phoneKey'],
      where: { id: { [Op.gt]: after }, phoneKey: { [Op.ne]: null } },
      order: [['id', 'ASC']],
      limit: batchAccounts,
      raw: true,
      transaction,
    });
    for (const { id, phone, phoneKey: before } of batch) {
      const phoneKey = keyOf(phone);
      const holder = holders.get(phoneKey);
      if (holder === undefined) holders.set(phoneKey, id);
      else shared.set(phoneKey, [...(shared.get(phoneKey) ?? [holder]), id]);
      if (phoneKey !== before) changes.push({ id, phoneKey });
    }
    after = batch.at(-1)?.id;
  }
  const users = await User.findAll({
    attributes: [...holderFields],
    where: { id: [...shared.values()].flat() },
    order: [['id', 'ASC']],
    transaction,
  });
  const conflicts = Array.from(shared, ([key, ids]) => ({ key, accounts: users.filter(({ id }) => ids.includes(id)) }));
  return { changes, conflicts };
}

/** How the keys of phones fit the country. */
export interface PhoneState {
  /** Two letters; null for none. */
  country: string | null;
  /** Accounts with a key of another rule, among the `accounts` looked at. */
  misfits: number;
  accounts: number;
}

/** The latest accounts, which are compared: a wrong rule shows in many. */
const comparedAccounts = 10_000;

/** Compares the keys of phones with the country. */
export async function phoneState({ database }: Pick<Core, 'database'>): Promise<PhoneState> {
  const { PhoneCountry, User } = database.models;
  const row = await database.read(() => PhoneCountry.findByPk(1, { rejectOnEmpty: true, raw: true }));
  const { keyOf } = await phoneKeysOf(row.country);
  const users = await database.read(() =>
    User.findAll({
      attributes: ['phone', 'phoneKey'],
      where: { phoneKey: { [Op.ne]: null } },
      order: [['id', 'DESC']],
      limit: comparedAccounts,
      raw: true,
    }),
  );
  const misfits = users.filter(({ phone, phoneKey }) => keyOf(phone) !== phoneKey).length;
  return { country: row.country || null, misfits, accounts: users.length };
}
