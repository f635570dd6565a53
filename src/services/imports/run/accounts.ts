import pLimit from 'p-limit';
import type { Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import type { BulkInserter } from '../../../db/sql/insert.js';
import { selectRows } from '../../../db/sql/rows.js';
import { inputFields } from '../../../schemas/account-fields.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { ImportedPerson } from '../../../schemas/imported-person.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { EffectBatch } from '../../accounts/apply-effects.js';
import type { Cause } from '../../accounts/effects.js';
import { newInvitationFields, withoutPassword } from '../../accounts/invite.js';
import { initialPasswordExpiry } from '../../accounts/passwords.js';
import { addAccounts, type NewAccount, updateAccounts } from '../../accounts/rows.js';
import type { Actor, Core } from '../../core.js';
import { generatedPasswordCost, generatePassword } from '../../credentials/passwords.js';
import { accountAttributes } from '../plan/account-index.js';
import {
  type Decision,
  type ExistingAccount,
  getsNoPassword,
  isInvited,
  needsSecret,
  type PlannedEnrollment,
} from '../plan/outcomes.js';
import { blockedRoleChanges } from '../plan/role-changes.js';
import type { LedgerEntry } from '../store/audit-records.js';
import { StaleDecision } from './run-state.js';

/** The new password of an account. */
interface Secret {
  passwordHash: string;
  /** Generated password; absent if the file has a password or a hash. */
  generated?: string;
}

/** Secrets by line. A batch keeps them for further attempts, because hashing takes long. */
export type Secrets = Map<number, Secret>;

/** Concurrent hashes of an import: enough for all cores, few enough for short waits at login. */
const concurrentHashes = 8;

/** The hash queue treats all imports together as one client. */
const hashing = { owner: 'imports' };

async function makeSecret(core: Core, { password }: ImportedPerson): Promise<Secret> {
  if (password !== undefined)
    return { passwordHash: await core.hasher.hash(password, core.config.auth.bcryptCost, hashing) };
  const generated = generatePassword();
  return { passwordHash: await core.hasher.hash(generated, generatedPasswordCost, hashing), generated };
}

/** Hashes the passwords of accounts without a secret yet. Accounts without a password need no hash. */
export async function prepareSecrets(
  core: Core,
  options: ImportOptions,
  decisions: readonly Decision[],
  secrets: Secrets,
): Promise<void> {
  const limit = pLimit(concurrentHashes);
  const making: Promise<void>[] = [];
  for (const decision of decisions) {
    if (!needsSecret(decision) || getsNoPassword(options, decision) || secrets.has(decision.row.line)) continue;
    const { line, person } = decision.row;
    if (person.passwordHash !== undefined) secrets.set(line, { passwordHash: person.passwordHash });
    else making.push(limit(async () => void secrets.set(line, await makeSecret(core, person))));
  }
  await Promise.all(making);
}

export function credentialLines(decisions: readonly Decision[], secrets: Secrets): string[][] {
  return decisions.flatMap((decision) => {
    const generated = needsSecret(decision) ? secrets.get(decision.row.line)?.generated : undefined;
    if (generated === undefined || decision.outcome === 'rejected') return [];
    const { firstName, lastName, email, phone = '' } = decision.row.person;
    return [[String(decision.row.line), firstName, lastName, email, phone, generated]];
  });
}

export interface BatchContext {
  core: Core;
  actor: Actor;
  importId: string;
  options: ImportOptions;
  secrets: Secrets;
  transaction: Transaction;
  /** Phone keys that the transaction has locked. */
  phones: PhoneKeys;
  now: Date;
  /** Numbers of the enrollments on waiting lists. */
  waitingNumbers: ReadonlyMap<PlannedEnrollment, number>;
}

function accountSecret(secrets: Secrets, line: number, expiry: Date) {
  const secret = secrets.get(line);
  if (!secret) throw new Error(`No password was prepared for line ${line}.`);
  return {
    passwordHash: secret.passwordHash,
    requiresPasswordChange: true,
    initialPasswordExpiresAt: secret.generated === undefined ? null : expiry,
  };
}

type Update = Decision & { outcome: 'updated' };

const passwordFields = ['passwordHash', 'hasPassword', 'requiresPasswordChange', 'initialPasswordExpiresAt'] as const;

/** An account before its update, including its password if that changes. */
type LockedAccount = ExistingAccount & Partial<Pick<User, (typeof passwordFields)[number]>>;

/** Updates the accounts of a batch. @throws StaleDecision if an account was changed or removed after the decision */
export async function updateExisting(
  context: BatchContext,
  decisions: readonly Decision[],
  ledger: Map<number, LedgerEntry>,
): Promise<void> {
  const updates = decisions.filter((decision) => decision.outcome === 'updated');
  if (updates.length === 0) return;
  const { core, options, transaction, phones, now } = context;
  const fields = options.resetPasswords ? [...accountAttributes, ...passwordFields] : accountAttributes;
  const accounts: LockedAccount[] = await selectRows(core.database.models.User, fields, {
    by: 'id',
    among: updates.map(({ account }) => account.id),
    lockedBy: transaction,
  });
  if (accounts.length < updates.length) throw new StaleDecision();
  // The locks block new courses and enrollments of these accounts.
  if ((await blockedRoleChanges(core, updates, transaction)).size > 0) throw new StaleDecision();
  const byAccount = new Map(updates.map((update) => [update.account.id, update]));
  const changed = accounts.map((account) => {
    const update = byAccount.get(account.id);
    if (update?.account.updatedAt.getTime() !== account.updatedAt.getTime()) throw new StaleDecision();
    const changes = changesOf(context, update);
    ledger.set(update.row.line, { userId: account.id, note: noteOf(account, changes, now) });
    return { account, changes, updatedAt: now };
  });
  await updateAccounts(core, changed, transaction, { phones, cause: causeOf(context) });
}

const causeOf = ({ actor, importId }: BatchContext): Cause => ({ action: 'user.import', actor, importId });

function changesOf({ core, secrets }: BatchContext, { row, changes, resetPassword }: Update) {
  if (!resetPassword) return changes;
  return { ...changes, ...accountSecret(secrets, row.line, initialPasswordExpiry(core)), hasPassword: true };
}

function noteOf(account: LockedAccount, changes: ReturnType<typeof changesOf>, now: Date): UndoNote {
  const before: Record<string, unknown> = {};
  // TypeScript types the keys of any object as strings.
  for (const field of Object.keys(changes) as (keyof typeof account & keyof typeof changes)[])
    before[field] = account[field];
  return { before: { ...before, updatedAt: account.updatedAt.toISOString() }, updatedAt: now.toISOString() };
}

const importedFields = inputFields('import');

const accountFieldsOf = (person: ImportedPerson) =>
  // Object.fromEntries loses the types of the keys.
  Object.fromEntries(importedFields.map((field) => [field, person[field]])) as Pick<
    ImportedPerson,
    (typeof importedFields)[number]
  >;

/**
 * Creates the accounts of a batch.
 * @param created decisions with the ids of their accounts
 * @param inserting the caller applies `effects` after the `inserts`
 */
export async function createAccounts(
  context: BatchContext,
  created: readonly [id: string, decision: Decision & { outcome: 'created' }][],
  { inserts, effects }: { inserts: BulkInserter; effects: EffectBatch },
): Promise<void> {
  const { core, options, secrets, phones } = context;
  const expiry = initialPasswordExpiry(core);
  const invitation = newInvitationFields(core);
  const noPassword = withoutPassword(core);
  function* accounts(): Generator<NewAccount> {
    for (const [, decision] of created) {
      const { line, person } = decision.row;
      yield {
        ...accountFieldsOf(person),
        phone: person.phone ?? '',
        role: person.role ?? options.role,
        ...(getsNoPassword(options, decision) ? noPassword : accountSecret(secrets, line, expiry)),
        ...(isInvited(options, decision) && invitation),
      };
    }
  }
  const ids = created.map(([id]) => id);
  await addAccounts(core, accounts(), ids, { inserts, phones, effects, cause: causeOf(context) });
}
