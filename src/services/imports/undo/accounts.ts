import type { Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { applyEffects } from '../../accounts/apply-effects.js';
import { type AccountUpdate, updateAccounts } from '../../accounts/rows.js';
import type { AuditRecord } from '../../audit/audit.js';
import type { Actor, Core } from '../../core.js';
import { withdrawMails } from '../../mail/outbox.js';
import { lockPhoneKeys } from '../../phone-country.js';
import { removedAccount, restoredAccount } from '../store/audit-records.js';
import { shownLine } from '../store/ledger.js';
import type { Verdict } from './verdicts.js';

type AccountVerdict = Verdict & { user: User };

const withOutcome = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): AccountVerdict[] =>
  verdicts.filter((verdict): verdict is AccountVerdict => verdict.outcome === outcome && verdict.user !== undefined);

/** Removes accounts with the verdict `removed`, and their enrollments. @returns the audit entries */
export async function removeAccounts(
  core: Core,
  actor: Actor,
  importId: string,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<AuditRecord[]> {
  const removed = withOutcome(verdicts, 'removed');
  if (removed.length === 0) return [];
  const users = removed.map(({ user }) => user);
  const cause = { action: 'user.undo-import', actor, importId } as const;
  const changes = users.map((user) => ({ before: user, after: undefined, cause }));
  await applyEffects(core, changes, transaction);
  // The foreign key removes their enrollments.
  await core.database.models.User.destroy({ where: { id: users.map(({ id }) => id) }, transaction });
  return removed.map(({ user, row, courses }) =>
    removedAccount({ importId, line: shownLine(row.line) }, user, courses),
  );
}

/** Restores accounts with the verdict `restored`. @returns the audit entries */
export async function restoreAccounts(
  core: Core,
  actor: Actor,
  importId: string,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<AuditRecord[]> {
  const restored = withOutcome(verdicts, 'restored');
  if (restored.length === 0) return [];
  // The entries need the values before any change.
  const audit = restored.map(({ user, row, note, courses }) =>
    restoredAccount({ importId, line: shownLine(row.line) }, user, note, courses),
  );
  await withdrawMails(core, { importId, userId: restored.map(({ user }) => user.id) }, transaction);
  const updates = restored.flatMap(({ user, note: { before } }) => (before ? [withOldFields(user, before)] : []));
  const cause = { action: 'user.undo-import', actor, importId } as const;
  if (updates.length > 0)
    await updateAccounts(core, updates, transaction, { phones: await lockPhoneKeys(core, transaction), cause });
  return audit;
}

/** Returns an update that restores the old values of the fields that the import changed. */
function withOldFields(account: User, before: NonNullable<UndoNote['before']>): AccountUpdate {
  const { updatedAt, initialPasswordExpiresAt: expiry, ...fields } = before;
  const expires = expiry === undefined ? {} : { initialPasswordExpiresAt: expiry === null ? null : new Date(expiry) };
  return { account: account.get(), changes: { ...fields, ...expires }, updatedAt: new Date(updatedAt) };
}
