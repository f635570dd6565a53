import { setImmediate as nextTick } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { User } from '../../db/models/user.js';
import { BulkInserter } from '../../db/sql/insert.js';
import { type RowUpdate, updateRows } from '../../db/sql/update.js';
import { type AccountValues, accountFields, type InitialField, initialFields } from '../../schemas/account-fields.js';
import { type DefaultedFieldOf, defaultOf } from '../../schemas/fields-table.js';
import type { PhoneKeys } from '../../schemas/phone-keys.js';
import { type Core, operator } from '../core.js';
import { newIds } from '../new-ids.js';
import { lockPhoneKeys, storedPhoneKeys } from '../phone-country.js';
import { EffectBatch } from './apply-effects.js';
import { type AccountState, type Cause, impliedFields } from './effects.js';
import { unconfirmedEmailFields, userKeys } from './keys.js';

type DefaultedField = DefaultedFieldOf<typeof accountFields>;

/** Fields of an invitation to set a password; absent for accounts with a password. */
export type Invitation = Pick<User, 'hasPassword' | 'invitedAt' | 'inviteState'>;

/** Validated and normalised fields of a new account, with the hash of its password. An empty phone means none. */
export interface NewAccount
  extends Pick<AccountValues, Exclude<InitialField, DefaultedField>>,
    Partial<Pick<AccountValues, InitialField & DefaultedField>>,
    Partial<Invitation> {
  passwordHash: string;
  /** Expiry of a generated initial password; null for a chosen password. */
  initialPasswordExpiresAt: Date | null;
}

/** Defaults of absent fields, because all rows of an insert must have the same columns. */
const initialDefaults = initialFields.map((name) => ({ name, byDefault: defaultOf(accountFields[name].column) }));
function initialValues(account: NewAccount): Pick<AccountValues, InitialField> {
  const values: Partial<Record<InitialField, ReturnType<typeof defaultOf>>> = {};
  for (const { name, byDefault } of initialDefaults) values[name] = account[name] ?? byDefault;
  // `NewAccount` requires all fields without a default.
  return values as Pick<AccountValues, InitialField>;
}

/**
 * Inserts accounts: see {@link addAccounts}.
 * @param ids ids of the new accounts, in the same order
 * @returns these ids
 * @throws AppError `EMAIL_TAKEN`, `PHONE_TAKEN` or `SUPER_ADMIN_EXISTS` (from the transaction) for the first violation
 */
export async function insertAccounts(
  core: Core,
  accounts: readonly NewAccount[],
  transaction: Transaction,
  ids: readonly string[] = newIds(accounts.length),
  cause: Cause = registration,
): Promise<readonly string[]> {
  const phones = await lockPhoneKeys(core, transaction);
  const inserts = new BulkInserter(transaction);
  const effects = new EffectBatch(core, transaction);
  await addAccounts(core, accounts, ids, { inserts, phones, effects, cause });
  await inserts.finish();
  await effects.apply();
  return ids;
}

/** Default cause of new accounts. */
const registration: Cause = { action: 'user.register', actor: operator };

/**
 * Inserts accounts with their search words. No other function inserts accounts; setup, registration and imports use this one.
 * @param accounts read one by one while the statements are built
 * @param ids ids of the new accounts, in the same order
 * @param writing `inserts`: the caller completes them, and handles the errors of {@link insertAccounts}. `effects`: the caller
 *   applies them afterwards. `phones`: locked by the transaction
 */
export async function addAccounts(
  core: Core,
  accounts: Iterable<NewAccount>,
  ids: readonly string[],
  { inserts, phones, effects, cause }: { inserts: BulkInserter; phones: PhoneKeys; effects: EffectBatch; cause: Cause },
): Promise<void> {
  const now = core.now();
  function* rows() {
    let index = 0;
    for (const account of accounts) {
      const id = ids[index];
      if (id === undefined) throw new Error('There are fewer ids than accounts to insert.');
      index += 1;
      const initial = { id, ...initialValues(account) };
      const keys = userKeys(account);
      const invitation = { invitedAt: account.invitedAt ?? null, inviteState: account.inviteState ?? null };
      // Computed per row while the database inserts earlier rows. Otherwise the database would wait at the end.
      effects.add({ before: undefined, after: { ...initial, ...keys, ...invitation }, cause });
      yield {
        ...initial,
        ...storedPhoneKeys(account.phone, phones),
        passwordHash: account.passwordHash,
        initialPasswordExpiresAt: account.initialPasswordExpiresAt,
        hasPassword: account.hasPassword ?? true,
        ...invitation,
        ...keys,
        createdAt: now,
        updatedAt: now,
      };
    }
  }
  await inserts.add(core.database.models.User, rows());
  await effects.insertWords(inserts);
}

/** Inserts one account and reads it back. @throws the errors of {@link insertAccounts} */
export async function insertAccount(
  core: Core,
  account: NewAccount,
  transaction: Transaction,
  cause?: Cause,
): Promise<User> {
  const id = uuidv7();
  await insertAccounts(core, [account], transaction, [id], cause);
  return core.database.models.User.findByPk(id, { transaction, rejectOnEmpty: true });
}

/** Number of rows that are prepared before other requests can run. */
const rowsAhead = 500;

export interface AccountUpdate {
  account: AccountState;
  changes: Partial<NewAccount>;
  updatedAt: Date;
}

/**
 * Updates accounts with their effects, without model instances: for imports and their undo.
 * @param updates changes of accounts that the transaction has locked. No account may get the email or phone that
 *   another of these accounts gives up
 * @throws AppError `EMAIL_TAKEN` or `PHONE_TAKEN` (from the transaction) for the first violation
 */
export async function updateAccounts(
  core: Core,
  updates: readonly AccountUpdate[],
  transaction: Transaction,
  { phones, cause }: { phones: PhoneKeys; cause: Cause },
): Promise<void> {
  const effects = new EffectBatch(core, transaction);
  function rowOf({ account: before, changes, updatedAt }: AccountUpdate): RowUpdate<User> {
    const { firstName, lastName, email, phone } = changes;
    const isRenamed = firstName !== undefined || lastName !== undefined || email !== undefined;
    const after = { ...before, ...changes };
    const keys = isRenamed ? userKeys(after) : undefined;
    const change = { before, after: { ...after, ...keys }, cause };
    effects.add(change);
    const isNewEmail = email !== undefined && email !== before.email;
    const phoneKey = phone === undefined ? {} : storedPhoneKeys(phone, phones);
    return {
      ...changes,
      ...impliedFields(change, core),
      ...keys,
      ...(isNewEmail && unconfirmedEmailFields),
      ...phoneKey,
      id: before.id,
      updatedAt,
    };
  }
  const rows: RowUpdate<User>[] = [];
  for (const [index, update] of updates.entries()) {
    // Lets other requests run.
    if (index % rowsAhead === rowsAhead - 1) await nextTick();
    rows.push(rowOf(update));
  }
  await effects.apply();
  await updateRows(core.database.models.User, rows, transaction);
}
