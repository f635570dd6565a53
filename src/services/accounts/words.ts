import type { CreationAttributes, Transaction } from 'sequelize';
import { fullName, type User } from '../../db/models/user.js';
import type { AccountWord } from '../../db/models/words.js';
import { insertRows } from '../../db/sql/insert.js';
import { deleteWords } from '../../db/sql/words.js';
import { type SearchedAccount, storedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';

/** Keeps the words by which accounts are found (schemas/search-words.ts), and former names. */

/** An account as far as its words are made of it. */
export type NamedAccount = SearchedAccount & { id: string };

/** The words of an account, as they are stored. */
export const wordsOfAccount = (account: NamedAccount): CreationAttributes<AccountWord>[] =>
  storedWords(account).map((word) => ({ word, accountId: account.id }));

/** Removes the words of accounts that are deleted. @param accounts as the transaction has locked them */
export async function removeWords(
  core: Core,
  accounts: readonly NamedAccount[],
  transaction: Transaction,
): Promise<void> {
  await deleteWords(core.database.sequelize, accounts.flatMap(wordsOfAccount), transaction);
}

/** An account that changes. */
interface RenamedAccount {
  before: NamedAccount;
  after: NamedAccount;
}

/** What the changes of an instance do, before they are saved. */
function renamedBy(user: User): RenamedAccount {
  const before = { ...user.get(), ...user.previous() };
  return { before, after: user };
}

/** The words that changes of accounts remove and add. */
export class ChangedWords {
  readonly #removed: CreationAttributes<AccountWord>[] = [];
  readonly #added: CreationAttributes<AccountWord>[] = [];

  add({ before, after }: RenamedAccount): void {
    const [old, now] = [storedWords(before), storedWords(after)];
    for (const word of old) if (!now.includes(word)) this.#removed.push({ word, accountId: after.id });
    for (const word of now) if (!old.includes(word)) this.#added.push({ word, accountId: after.id });
  }

  /** Writes them. @param transaction has locked the accounts */
  async save({ database }: Core, transaction: Transaction): Promise<void> {
    // The added ones, too: one that is there already is no failure.
    await deleteWords(database.sequelize, [...this.#removed, ...this.#added], transaction);
    await insertRows(database.models.AccountWord, this.#added, transaction);
  }
}

/** The accounts whose full name changes, before they are saved. */
function renamedIds(users: readonly User[]): string[] {
  return users.flatMap((user) => (fullName({ ...user.get(), ...user.previous() }) === fullName(user) ? [] : [user.id]));
}

/** Accounts per statement. */
const batch = 500;

/**
 * Keeps the stored names of accounts with their enrollments that have no former name yet, so that managers see a rename. Before
 * the new names are saved. Accounts are locked before enrollments, as everywhere.
 */
export async function keepFormerNames(
  { database: { models, sequelize } }: Core,
  ids: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const name = sequelize.literal(
    "(SELECT CONCAT(users.first_name, ' ', users.last_name) FROM users WHERE users.id = enrollments.user_id)",
  );
  for (let at = 0; at < ids.length; at += batch) {
    const where = { userId: ids.slice(at, at + batch), formerName: null };
    await models.Enrollment.update({ formerName: name }, { where, silent: true, transaction });
  }
}

/**
 * Replaces the words of accounts that change, and keeps their former names.
 * @param users locked by the transaction, and not saved yet
 */
export async function applyRenames(core: Core, users: readonly User[], transaction: Transaction): Promise<void> {
  const words = new ChangedWords();
  for (const user of users) words.add(renamedBy(user));
  await words.save(core, transaction);
  await keepFormerNames(core, renamedIds(users), transaction);
}
