import type { Transaction } from 'sequelize';
import { insertAccounts, type NewAccount } from '../accounts.js';
import type { Core } from '../core.js';
import { generatedPasswordCost, generatePassword } from '../passwords.js';
import { initialPasswordExpiry } from '../users.js';
import type { Decision } from './existing.js';

/** An account that a row is to become. */
export interface PreparedAccount {
  row: { line: number };
  account: NewAccount;
  /** The generated password; absent when the file gave one. */
  generated: string | undefined;
}

/** Hashes the passwords of the accounts to be created: few at a time, so that logins get their turn. */
export async function prepareAccounts(core: Core, decisions: readonly Decision[]): Promise<PreparedAccount[]> {
  const expiry = initialPasswordExpiry(core);
  const prepared: PreparedAccount[] = [];
  const creations = decisions.filter((decision) => decision.outcome === 'created');
  const parallel = 8;
  for (let at = 0; at < creations.length; at += parallel) {
    prepared.push(
      ...(await Promise.all(
        creations.slice(at, at + parallel).map(async ({ row }) => {
          const { password: given, ...person } = row.person;
          const generated = given === undefined ? generatePassword() : undefined;
          const passwordHash = await core.hasher.hash(
            given ?? generated ?? '',
            given === undefined ? generatedPasswordCost : core.config.auth.bcryptCost,
          );
          const account = {
            ...person,
            passwordHash,
            requiresPasswordChange: true,
            initialPasswordExpiresAt: given === undefined ? expiry : null,
          };
          return { row, account, generated };
        }),
      )),
    );
  }
  return prepared;
}

/** The lines of the credentials file. */
export function credentialLines(accounts: readonly PreparedAccount[]): string[][] {
  return accounts.flatMap(({ row, account, generated }) =>
    generated === undefined
      ? []
      : [[String(row.line), account.firstName, account.lastName, account.email, account.phone, generated]],
  );
}

/** Writes the accounts of a batch and its part of the ledger. */
export async function writeBatch(
  core: Core,
  importId: string,
  decisions: readonly Decision[],
  accounts: readonly PreparedAccount[],
  transaction: Transaction,
): Promise<void> {
  const users = await insertAccounts(
    core,
    accounts.map(({ account }) => account),
    transaction,
  );
  const createdByLine = new Map(accounts.map(({ row }, index) => [row.line, users[index]?.id ?? null]));
  await core.database.models.ImportRow.bulkCreate(
    decisions.map((decision) => ({
      importId,
      line: decision.row.line,
      ...ledgerEntry(decision, createdByLine),
      beforeJson: null,
    })),
    { transaction, validate: false, hooks: false },
  );
}

function ledgerEntry(decision: Decision, createdByLine: ReadonlyMap<number, string | null>) {
  switch (decision.outcome) {
    case 'created':
      return { outcome: decision.outcome, code: null, userId: createdByLine.get(decision.row.line) ?? null };
    case 'skipped':
      return { outcome: decision.outcome, code: decision.code, userId: decision.userId };
    case 'rejected':
      return { outcome: decision.outcome, code: decision.row.code, userId: null };
  }
}
