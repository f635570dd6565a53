import { Op, type Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { updateRows } from '../../db/sql/update.js';
import { AppError } from '../../errors.js';
import { isCountry, type PhoneKeys, phoneKeysOf } from '../../schemas/phone-keys.js';
import type { Core } from '../core.js';

/** Accounts per query. */
const batchAccounts = 1000;

/** Maximum number of listed conflicts. A country with more conflicts is the wrong one. */
const listedConflicts = 100;

const holderFields = ['id', 'firstName', 'lastName', 'email', 'phone'] as const;

/** Accounts whose phones would have the same key. */
export interface PhoneConflict {
  key: string;
  accounts: Pick<User, (typeof holderFields)[number]>[];
}

/** Outcome of a change of the country. */
export interface Rekeyed {
  /** Two letters; null for none. */
  country: string | null;
  /** Number of accounts whose key changed. */
  changed: number;
  /** Empty unless the change was refused. */
  conflicts: readonly PhoneConflict[];
  /** Whether the search stopped at the limit: there may be more conflicts. */
  hasMore: boolean;
}

/** @param country two capital letters; null for none @throws AppError `USAGE` for an unknown country */
export async function assertCountry(country: string | null): Promise<void> {
  if (country === null || (await isCountry(country))) return;
  const known = 'Give the two letters of a country with phones, such as DE, or "none".';
  throw new AppError('USAGE', `The country ${JSON.stringify(country)} is not known. ${known}`);
}

/**
 * Sets the country by whose rules phones are compared, and recomputes the keys of all accounts, in one transaction. Locks the row of
 * the country, so that all requests that store a phone wait: stop the service first.
 * @param country two capital letters; null for none
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
    // Old keys are removed first: another account may still have the new key.
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

/** Computes the keys of all phones, and finds accounts with equal keys, up to the limit. @throws AppError `INTERRUPTED` */
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

/** Consistency of the stored phone keys with the country. */
export interface PhoneState {
  /** Two letters; null for none. */
  country: string | null;
  /** Number of accounts whose key doesn't fit the country, among the compared `accounts`. */
  misfits: number;
  accounts: number;
}

/** Number of compared accounts, newest first: a wrong country affects many accounts. */
const comparedAccounts = 10_000;

/** Compares the stored phone keys of the newest accounts with the country. */
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
