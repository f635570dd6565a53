import { Op, QueryTypes, type Transaction } from 'sequelize';
import { activeLeases, type Lease, withLease } from '../../db/lease.js';
import type { User } from '../../db/models/user.js';
import { updateRows } from '../../db/sql/update.js';
import { AppError } from '../../errors.js';
import { isCountry, type PhoneKeys, phoneKeysOf } from '../../schemas/phone-keys.js';
import type { Core } from '../core.js';

/**
 * Chooses the country whose way of writing phones counts. Each account gets its new key beside the one that counts, batch by
 * batch; a unique index finds those that would have the same. When all have theirs, the new keys replace the others and the
 * country is stored, in one transaction: logins, lookups and uniqueness follow the old country until then, and the new one from
 * then on. A writer of a phone removes the new key of the account, and locks the row of the country until its commit.
 */

/** Accounts per transaction. */
const batchAccounts = 1000;

/** Conflicts that are told; a country for which there are more is the wrong one. */
const toldConflicts = 100;

const leaseName = 'phones';

type Holder = Pick<User, 'id' | 'firstName' | 'lastName' | 'email' | 'phone'>;

/** Accounts whose phones would be the same. */
export interface PhoneConflict {
  key: string;
  accounts: Holder[];
}

/** What became of a choice. */
export interface Rekeyed {
  /** Two letters; null for none. */
  country: string | null;
  /** Accounts with another key than before. */
  changed: number;
  /** When there are any, nothing was changed. */
  conflicts: readonly PhoneConflict[];
  /** There are more, which weren't looked for. */
  hasMore: boolean;
}

const holderFields = ['id', 'firstName', 'lastName', 'email', 'phone'] as const;

/** @param country null for none @throws AppError `USAGE` for what is not the two letters of a country, in capitals */
export async function assertCountry(country: string | null): Promise<void> {
  if (country === null || (await isCountry(country))) return;
  const known = 'Give the two letters of a country with phones, such as DE, or "none".';
  throw new AppError('USAGE', `The country ${JSON.stringify(country)} is not known. ${known}`);
}

/** How a choice is made. */
export interface RekeyOptions {
  /** Ends it between two batches; calling it again goes on from there. */
  signal?: AbortSignal;
  /** Called after each batch, with the number of accounts that were looked at. */
  onBatch?(accounts: number): void;
}

/**
 * Chooses a country for phones, or goes on with a choice that was interrupted.
 * @param country two letters in capitals; null for none
 * @throws AppError `USAGE` for an unknown country, `PHONES_BEING_REKEYED` while another process does the same, `INTERRUPTED`
 */
export async function rekeyPhones(core: Core, country: string | null, options: RekeyOptions = {}): Promise<Rekeyed> {
  await assertCountry(country);
  const keys = await phoneKeysOf(country ?? '');
  const refusal = () => new AppError('PHONES_BEING_REKEYED');
  return withLease(core.database, leaseName, 0, refusal, async (lease) => {
    const rekeying = new Rekeying(core, keys, lease);
    await rekeying.begin();
    await rekeying.makeKeys(options);
    const changed = rekeying.conflicts.length > 0 ? 0 : await rekeying.replaceKeys();
    if (rekeying.conflicts.length > 0) await rekeying.giveUp();
    return { country, changed, conflicts: rekeying.conflicts, hasMore: rekeying.hasMore };
  });
}

class Rekeying {
  readonly #core: Core;
  readonly #keys: PhoneKeys;
  readonly #lease: Lease;
  readonly #conflicts = new Map<string, Holder[]>();

  constructor(core: Core, keys: PhoneKeys, lease: Lease) {
    this.#core = core;
    this.#keys = keys;
    this.#lease = lease;
  }

  get conflicts(): PhoneConflict[] {
    return Array.from(this.#conflicts, ([key, accounts]) => ({ key, accounts }));
  }

  get hasMore(): boolean {
    return this.#conflicts.size >= toldConflicts;
  }

  /** A transaction in which no other process has the lease. */
  #step<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#core.database.inTransaction(async (transaction) => {
      if (!(await this.#lease.renew(transaction))) throw new AppError('PHONES_BEING_REKEYED');
      return work(transaction);
    });
  }

  #run(sql: string, transaction: Transaction) {
    return this.#core.database.sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
  }

  /** Keeps the keys of a choice of the same country that was interrupted. */
  async begin(): Promise<void> {
    const { PhoneCountry } = this.#core.database.models;
    const row = await this.#core.database.read(() => PhoneCountry.findByPk(1, { rejectOnEmpty: true }));
    if (row.nextCountry === this.#keys.country) return;
    if (row.nextCountry !== null) await this.giveUp();
    await this.#step((transaction) => row.update({ nextCountry: this.#keys.country }, { transaction }));
  }

  /** Removes the keys that were made. They go first: without a next country there are none. */
  async giveUp(): Promise<void> {
    const { PhoneCountry } = this.#core.database.models;
    const clear = 'UPDATE users SET next_phone_key = NULL WHERE next_phone_key IS NOT NULL';
    await this.#step((transaction) => this.#run(clear, transaction));
    await this.#step((transaction) => PhoneCountry.update({ nextCountry: null }, { where: { id: 1 }, transaction }));
  }

  /** Gives the accounts their next keys, until there are too many conflicts to tell. @throws AppError `INTERRUPTED` */
  async makeKeys({ signal, onBatch = () => undefined }: RekeyOptions): Promise<void> {
    let accounts = 0;
    for (let after: string | undefined = ''; after !== undefined && !this.hasMore; ) {
      if (signal?.aborted) throw new AppError('INTERRUPTED', 'Interrupted; the same command goes on from here.');
      const start: string = after;
      const batch = await this.#step((transaction) => this.#batch(start, transaction));
      after = batch.at(-1)?.id;
      accounts += batch.length;
      if (batch.length > 0) onBatch(accounts);
    }
  }

  /** Makes the keys of the next accounts without one. @returns these accounts */
  async #batch(after: string, transaction: Transaction): Promise<readonly Holder[]> {
    const { User } = this.#core.database.models;
    const holders = await User.findAll({
      attributes: [...holderFields],
      where: { id: { [Op.gt]: after }, phoneKey: { [Op.ne]: null }, nextPhoneKey: null },
      order: [['id', 'ASC']],
      limit: batchAccounts,
      lock: transaction.LOCK.UPDATE,
      transaction,
    });
    const byKey = new Map<string, Holder[]>();
    for (const holder of holders) {
      const key = this.#keys.keyOf(holder.phone);
      byKey.set(key, [...(byKey.get(key) ?? []), holder]);
    }
    const earlier = await User.findAll({
      attributes: [...holderFields, 'nextPhoneKey'],
      where: { nextPhoneKey: [...byKey.keys()] },
      transaction,
    });
    const before = new Map(earlier.map((user) => [user.nextPhoneKey, user]));
    const rows = Array.from(byKey, ([nextPhoneKey, [first, ...others]]) => {
      const holder = before.get(nextPhoneKey);
      if (holder || others.length > 0) this.#noteConflict(nextPhoneKey, [holder, first, ...others]);
      return holder || !first ? [] : [{ id: first.id, nextPhoneKey }];
    }).flat();
    await updateRows(User, rows, transaction);
    return holders;
  }

  /** A batch may be repeated: accounts that are noted aren't noted again. */
  #noteConflict(key: string, accounts: readonly (Holder | undefined)[]): void {
    const noted = this.#conflicts.get(key) ?? [];
    for (const account of accounts) if (account && !noted.some(({ id }) => id === account.id)) noted.push(account);
    this.#conflicts.set(key, noted);
  }

  /**
   * Replaces the keys that count by the next ones, together with the country; unless an account that got a phone in the meantime is
   * in conflict.
   * @returns how many accounts have another key
   */
  async replaceKeys(): Promise<number> {
    const { PhoneCountry, User } = this.#core.database.models;
    return this.#step(async (transaction) => {
      // Those who store a phone hold the row until they commit, and then wait until this transaction ends.
      const row = await PhoneCountry.findByPk(1, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
      for (let after: string | undefined = ''; after !== undefined; )
        after = (await this.#batch(after, transaction)).at(-1)?.id;
      if (this.#conflicts.size > 0) return 0;
      const changed = await User.count({
        where: { nextPhoneKey: { [Op.ne]: this.#core.database.sequelize.col('phone_key') } },
        transaction,
      });
      // Together: a key that was of one account may be of another one now.
      await this.#run(
        'UPDATE users SET phone_key = next_phone_key, next_phone_key = NULL WHERE next_phone_key IS NOT NULL',
        transaction,
      );
      await row.update({ country: this.#keys.country, nextCountry: null }, { transaction });
      return changed;
    });
  }
}

/** How the keys of phones fit the country. */
export interface PhoneState {
  /** Two letters; null for none. */
  country: string | null;
  /** The choice that was interrupted; absent when there is none. */
  interrupted?: { country: string | null };
  /** Accounts with a key of another rule, among the `accounts` looked at. */
  misfits: number;
  accounts: number;
}

/** So many accounts, the latest, are looked at: what is wrong is wrong with many. */
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
  const isOver = row.nextCountry !== null && (await activeLeases(database, [leaseName])).size === 0;
  return {
    country: row.country || null,
    ...(isOver && { interrupted: { country: row.nextCountry || null } }),
    misfits,
    accounts: users.length,
  };
}
