import type { Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { selectRows } from '../../../db/sql/rows.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import { initialPasswordExpiry, updateAccounts } from '../../accounts/store.js';
import { endSessions } from '../../auth/sessions.js';
import type { Core } from '../../core.js';
import { accountFields } from '../plan/account-index.js';
import type { Decision, ExistingAccount } from '../plan/outcomes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import { assertRoleChangesAllowed, StaleDecision } from './batch-checks.js';

/** The password that an account gets. */
export interface Secret {
  passwordHash: string;
  /** The generated password; absent when the file gave one. */
  generated?: string;
}

/** Secrets by the line of their row. A batch keeps them when it is tried again, because hashing takes long. */
export type Secrets = Map<number, Secret>;

/** What a batch is written with. */
export interface Writing {
  core: Core;
  options: ImportOptions;
  secrets: Secrets;
  transaction: Transaction;
  /** Locked by the transaction. */
  phones: PhoneKeys;
  now: Date;
}

/** The password fields of an account. */
export function accountSecret(secrets: Secrets, line: number, expiry: Date) {
  const secret = secrets.get(line);
  if (!secret) throw new Error(`No password was prepared for line ${line}.`);
  return {
    passwordHash: secret.passwordHash,
    requiresPasswordChange: true,
    initialPasswordExpiresAt: secret.generated === undefined ? null : expiry,
  };
}

type Update = Decision & { outcome: 'updated' };

const passwordFields = ['passwordHash', 'requiresPasswordChange', 'initialPasswordExpiresAt'] as const;

/** An account as it is before the update, with its password where that gets another. */
type LockedAccount = ExistingAccount & Partial<Pick<User, (typeof passwordFields)[number]>>;

/**
 * Updates the accounts of a batch, and ends the sessions of those who must log in again.
 * @throws StaleDecision when an account was changed or removed since it was decided on
 */
export async function updateExisting(
  writing: Writing,
  decisions: readonly Decision[],
  ledger: Map<number, LedgerEntry>,
): Promise<void> {
  const updates = decisions.filter((decision) => decision.outcome === 'updated');
  if (updates.length === 0) return;
  const { core, options, transaction, phones, now } = writing;
  const fields = options.resetPasswords ? [...accountFields, ...passwordFields] : accountFields;
  const accounts: LockedAccount[] = await selectRows(core.database.models.User, fields, {
    by: 'id',
    among: updates.map(({ account }) => account.id),
    lockedBy: transaction,
  });
  if (accounts.length < updates.length) throw new StaleDecision();
  await assertRoleChangesAllowed(core, updates, transaction);
  const byAccount = new Map(updates.map((update) => [update.account.id, update]));
  const changed = accounts.map((account) => {
    const update = byAccount.get(account.id);
    if (update?.account.updatedAt.getTime() !== account.updatedAt.getTime()) throw new StaleDecision();
    const changes = changesOf(writing, update);
    ledger.set(update.row.line, { userId: account.id, note: noteOf(account, changes, now) });
    return { account, changes };
  });
  await updateAccounts(core, changed, now, { transaction, phones });
  const signedOut = updates.filter(endsItsSessions).map(({ account }) => account.id);
  if (signedOut.length > 0) await endSessions(core, signedOut, transaction);
}

/** The new values of an account. */
function changesOf({ core, secrets }: Writing, { row, changes, resetPassword }: Update) {
  return resetPassword ? { ...changes, ...accountSecret(secrets, row.line, initialPasswordExpiry(core)) } : changes;
}

/** What undo needs. */
function noteOf(account: LockedAccount, changes: ReturnType<typeof changesOf>, now: Date): UndoNote {
  const before: Record<string, unknown> = {};
  // TypeScript types the keys of any object as text.
  for (const field of Object.keys(changes) as (keyof typeof account & keyof typeof changes)[])
    before[field] = account[field];
  return { before: { ...before, updatedAt: account.updatedAt.toISOString() }, updatedAt: now.toISOString() };
}

/** Whether the person must log in again after an update. */
function endsItsSessions({ changes, resetPassword }: Update): boolean {
  return resetPassword || changes.email !== undefined || changes.role !== undefined || changes.isActive === false;
}
