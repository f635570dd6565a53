import type { CreationAttributes, Transaction } from 'sequelize';
import { deleteWords } from '../../db/account-words.js';
import { insertRows } from '../../db/bulk-insert.js';
import type { AccountWord } from '../../db/models/account-word.js';
import type { User } from '../../db/models/user.js';
import { type SearchedAccount, storedWords } from '../../schemas/search-words.js';
import type { Core } from '../core.js';

/** Keeps the words by which accounts are found: see schemas/search-words.ts. */

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
export interface RenamedAccount {
  before: NamedAccount;
  after: NamedAccount;
}

/** What the changes of an instance do, before they are saved. */
export function renamedBy(user: User): RenamedAccount {
  const before = { ...user.get(), ...user.previous() };
  return { before, after: user };
}

/** Replaces the words of accounts that change. @param renamed as the transaction has locked them */
export async function replaceWords(
  core: Core,
  renamed: readonly RenamedAccount[],
  transaction: Transaction,
): Promise<void> {
  const changed = renamed
    .map(({ before, after }) => ({ before: wordsOfAccount(before), after: wordsOfAccount(after) }))
    .filter(
      ({ before, after }) => before.map(({ word }) => word).join(' ') !== after.map(({ word }) => word).join(' '),
    );
  await deleteWords(
    core.database.sequelize,
    changed.flatMap(({ before, after }) => [...before, ...after]),
    transaction,
  );
  const rows = changed.flatMap(({ after }) => after);
  await insertRows(core.database.models.AccountWord, rows, transaction);
}
