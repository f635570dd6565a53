import { setImmediate as nextTick } from 'node:timers/promises';
import { type CreationAttributes, Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../db/connection.js';
import { fullName, type User } from '../../db/models/user.js';
import type { AccountWord } from '../../db/models/words.js';
import { Inserts } from '../../db/sql/insert.js';
import { type RowUpdate, updateRows } from '../../db/sql/update.js';
import { AppError, type ErrorCode, isAppError } from '../../errors.js';
import { type AccountValues, accountFields, type InitialField, initialFields } from '../../schemas/account-fields.js';
import { type DefaultedFieldOf, defaultOf } from '../../schemas/fields-table.js';
import { searchKey } from '../../schemas/keys.js';
import type { PhoneKeys } from '../../schemas/phone-keys.js';
import { nameMaximum, sortKey } from '../../schemas/sort-key.js';
import type { Core } from '../core.js';
import { markActivated } from '../freed-seats.js';
import { newIds } from '../new-ids.js';
import { lockPhoneKeys, readPhoneKeys, storedPhoneKeys } from '../phone-country.js';
import { applyRenames, ChangedWords, keepFormerNames, wordsOfAccount } from './words.js';

type DefaultedField = DefaultedFieldOf<typeof accountFields>;

/** What is noted of somebody who is invited to set a password; absent for others. */
export type Invitation = Pick<User, 'hasPassword' | 'invitedAt' | 'inviteState'>;

/** A new account: validated and normalised fields, and the hash of its password. The phone is empty for none. */
export interface NewAccount
  extends Pick<AccountValues, Exclude<InitialField, DefaultedField>>,
    Partial<Pick<AccountValues, InitialField & DefaultedField>>,
    Partial<Invitation> {
  passwordHash: string;
  /** When a generated initial password expires; null for a password that a person chose. */
  initialPasswordExpiresAt: Date | null;
}

/** With defaults for what is absent; every row of an insert has the same fields. */
const initialDefaults = initialFields.map((name) => ({ name, byDefault: defaultOf(accountFields[name].column) }));
function initialValues(account: NewAccount): Pick<AccountValues, InitialField> {
  const values: Partial<Record<InitialField, ReturnType<typeof defaultOf>>> = {};
  for (const { name, byDefault } of initialDefaults) values[name] = account[name] ?? byDefault;
  // Those without a default are given.
  return values as Pick<AccountValues, InitialField>;
}

/** The text that a search for accounts matches. Without the phone, because trainers search too and aren't shown phones. */
export function userSearchKey(user: Pick<NewAccount, 'firstName' | 'lastName' | 'email'>): string {
  return searchKey(user.firstName, user.lastName, user.email);
}

/** The keys by which accounts are searched and sorted. */
export function userKeys(user: Pick<NewAccount, 'firstName' | 'lastName' | 'email'>) {
  return {
    searchKey: userSearchKey(user),
    lastNameKey: sortKey(user.lastName, nameMaximum),
    firstNameKey: sortKey(user.firstName, nameMaximum),
  };
}

/**
 * Inserts accounts: see {@link addAccounts}.
 * @param ids of the new accounts, in their order
 * @returns these ids
 * @throws AppError `EMAIL_TAKEN`, `PHONE_TAKEN` or `SUPER_ADMIN_EXISTS` (from the transaction) for the first violation
 */
export async function insertAccounts(
  core: Core,
  accounts: readonly NewAccount[],
  transaction: Transaction,
  ids: readonly string[] = newIds(accounts.length),
): Promise<readonly string[]> {
  const phones = await lockPhoneKeys(core, transaction);
  const inserts = new Inserts(transaction);
  await addAccounts(core, accounts, ids, { inserts, phones });
  await inserts.done();
  return ids;
}

/**
 * The only function that inserts accounts, with the words by which they are found: for setup, registration and imports.
 * @param accounts each is taken when its statement is built
 * @param ids of the new accounts, in their order
 * @param writing its `inserts` may be done with them later, and throw what {@link insertAccounts} throws; `phones` are locked by
 *   their transaction
 */
export async function addAccounts(
  core: Core,
  accounts: Iterable<NewAccount>,
  ids: readonly string[],
  { inserts, phones }: { inserts: Inserts; phones: PhoneKeys },
): Promise<void> {
  const now = core.now();
  const words: CreationAttributes<AccountWord>[] = [];
  function* rows() {
    let index = 0;
    for (const account of accounts) {
      const id = ids[index];
      if (id === undefined) throw new Error('There are fewer ids than accounts to insert.');
      index += 1;
      const keys = userKeys(account);
      // With the rows, while the database inserts those before: after the last one it would wait for all words.
      words.push(...wordsOfAccount({ id, email: account.email, ...keys }));
      yield {
        id,
        ...initialValues(account),
        ...storedPhoneKeys(account.phone, phones),
        passwordHash: account.passwordHash,
        initialPasswordExpiresAt: account.initialPasswordExpiresAt,
        hasPassword: account.hasPassword ?? true,
        invitedAt: account.invitedAt ?? null,
        inviteState: account.inviteState ?? null,
        searchKey: keys.searchKey,
        lastNameKey: keys.lastNameKey,
        firstNameKey: keys.firstNameKey,
        createdAt: now,
        updatedAt: now,
      };
    }
  }
  await inserts.add(core.database.models.User, rows());
  await inserts.add(core.database.models.AccountWord, words);
}

/** Creates one account and reads it back. @throws AppError as {@link insertAccounts} */
export async function insertAccount(core: Core, account: NewAccount, transaction: Transaction): Promise<User> {
  const id = uuidv7();
  await insertAccounts(core, [account], transaction, [id]);
  return core.database.models.User.findByPk(id, { transaction, rejectOnEmpty: true });
}

/** Updates rows of accounts. Those that become active may get seats. */
async function writeAccounts(
  { database: { models } }: Core,
  rows: readonly RowUpdate<User>[],
  transaction: Transaction,
): Promise<void> {
  await updateRows(models.User, rows, transaction);
  const activated = rows.filter(({ isActive }) => isActive).map(({ id }) => id);
  if (activated.length > 0) await markActivated(models, activated, transaction);
}

/** Updates prepared while the database works on others. */
const rowsAhead = 500;

/** New values of an account. */
export interface AccountUpdate {
  account: Pick<User, 'id' | 'firstName' | 'lastName' | 'email'>;
  changes: Partial<NewAccount>;
}

/**
 * Updates accounts, without model instances: for imports.
 * @param updates of accounts that the transaction has locked; none may get the email or phone that another gives up
 * @param phones locked by the transaction, too
 * @throws AppError `EMAIL_TAKEN` or `PHONE_TAKEN` (from the transaction) for the first violation
 */
export async function updateAccounts(
  core: Core,
  updates: readonly AccountUpdate[],
  updatedAt: Date,
  { transaction, phones }: { transaction: Transaction; phones: PhoneKeys },
): Promise<void> {
  const words = new ChangedWords();
  function rowOf({ account, changes }: AccountUpdate): RowUpdate<User> {
    const { firstName, lastName, email, phone } = changes;
    const keys = phone === undefined ? {} : storedPhoneKeys(phone, phones);
    const row: RowUpdate<User> = { id: account.id, ...changes, ...keys, updatedAt };
    if (firstName === undefined && lastName === undefined && email === undefined) return row;
    const now = { ...account, ...changes };
    const after = { id: account.id, email: now.email, ...userKeys(now) };
    words.add({ before: { id: account.id, email: account.email, ...userKeys(account) }, after });
    row.searchKey = after.searchKey;
    if (firstName !== undefined) row.firstNameKey = after.firstNameKey;
    if (lastName !== undefined) row.lastNameKey = after.lastNameKey;
    return row;
  }
  const renamed = updates.filter(({ account, changes }) => fullName(account) !== fullName({ ...account, ...changes }));
  await keepFormerNames(
    core,
    renamed.map(({ account }) => account.id),
    transaction,
  );
  let pending = Promise.resolve();
  for (let at = 0; at < updates.length; at += rowsAhead) {
    // Made while the database works on those before.
    const rows = updates.slice(at, at + rowsAhead).map(rowOf);
    await pending;
    pending = writeAccounts(core, rows, transaction);
    // Awaited before the next ones; until then a rejection must not count as unhandled.
    pending.catch(() => undefined);
    await nextTick();
  }
  await pending;
  await words.save(core, transaction);
}

/** An account with changed fields, and the time of their change. */
export interface DatedAccount {
  user: User;
  updatedAt: Date;
}

/**
 * Writes the changed fields of accounts with their `updatedAt`, which Sequelize's save() would replace by the current time.
 * @param accounts locked by the transaction; none may get the email or phone that another of them gives up
 */
export async function saveAccounts(
  core: Core,
  accounts: readonly DatedAccount[],
  transaction: Transaction,
): Promise<void> {
  const rows = accounts.map(({ user, updatedAt }) => ({
    ...Object.fromEntries((user.changed() || []).map((field) => [field, user.get(field)])),
    id: user.id,
    updatedAt,
  }));
  await applyRenames(
    core,
    accounts.map(({ user }) => user),
    transaction,
  );
  await writeAccounts(core, rows, transaction);
}

/** Counts super admins: none or one. */
export async function countSuperAdmins(database: Database): Promise<number> {
  return database.read(() => database.models.User.count({ where: { role: 'super_admin' } }));
}

interface Uniqueness {
  email: boolean;
  phone: boolean;
}

/** Which of the two keys another account has already. */
export async function takenKeys(
  database: Database,
  keys: { email?: string; phone?: string },
  exceptId?: string,
): Promise<Uniqueness> {
  const phoneKey = keys.phone === undefined ? undefined : (await readPhoneKeys({ database })).keyOf(keys.phone);
  const wanted = [
    ...(keys.email === undefined ? [] : [{ email: keys.email }]),
    ...(phoneKey === undefined ? [] : [{ phoneKey }]),
  ];
  const holders = await database.read(() =>
    database.models.User.findAll({
      attributes: ['id', 'email', 'phoneKey'],
      where: { [Op.or]: wanted, ...(exceptId !== undefined && { id: { [Op.ne]: exceptId } }) },
    }),
  );
  return {
    email: keys.email !== undefined && holders.some((holder) => holder.email === keys.email),
    phone: phoneKey !== undefined && holders.some((holder) => holder.phoneKey === phoneKey),
  };
}

/**
 * Runs a change that constraints may refuse. After a violated constraint the check is repeated, so that a request that
 * loses a race gets the same error as one that fails the check.
 * @param refusal the code of the first rule that forbids the change, in the documented order
 */
export async function guarded<T>(refusal: () => Promise<ErrorCode | undefined>, change: () => Promise<T>): Promise<T> {
  const code = await refusal();
  if (code !== undefined) throw new AppError(code);
  try {
    return await change();
  } catch (error) {
    if (!isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'SUPER_ADMIN_EXISTS')) throw error;
    const now = await refusal();
    throw now === undefined ? error : new AppError(now, undefined, { cause: error });
  }
}

/** When an initial password that is given out now expires. */
export function initialPasswordExpiry(core: Core): Date {
  return new Date(core.now().getTime() + core.config.auth.initialPasswordDays * 86_400_000);
}
