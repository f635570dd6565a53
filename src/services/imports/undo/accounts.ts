import type { InferAttributes, Transaction } from 'sequelize';
import type { UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import { endInvitations } from '../../accounts/invite.js';
import { type DatedAccount, saveAccounts, userKeys } from '../../accounts/store.js';
import { removeWords } from '../../accounts/words.js';
import type { AuditRecord } from '../../audit/audit.js';
import { endSessions } from '../../auth/sessions.js';
import type { Core } from '../../core.js';
import { endAllLinks, endLinks } from '../../mail/links.js';
import { removeMailsOf, withdrawMails } from '../../mail/outbox.js';
import { lockPhoneKeys, storedPhoneKeys } from '../../phone-country.js';
import { removedAccount, restoredAccount } from '../store/audit-records.js';
import type { Verdict } from './verdicts.js';

/** A verdict on an account that exists. */
type AccountVerdict = Verdict & { user: User };

const withOutcome = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): AccountVerdict[] =>
  verdicts.filter((verdict): verdict is AccountVerdict => verdict.outcome === outcome && verdict.user !== undefined);

/** Removes the accounts whose verdict says so, with their enrollments. @returns the audit entries */
export async function removeAccounts(
  core: Core,
  importId: string,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<AuditRecord[]> {
  const removed = withOutcome(verdicts, 'removed');
  if (removed.length === 0) return [];
  const users = removed.map(({ user }) => user);
  await removeWords(core, users, transaction);
  await removeMailsOf(
    core,
    users.map(({ id }) => id),
    transaction,
  );
  // The foreign key removes their enrollments.
  await core.database.models.User.destroy({ where: { id: users.map(({ id }) => id) }, transaction });
  return removed.map(({ user, row, courses }) => removedAccount({ importId, line: row.line }, user, courses));
}

/**
 * Restores the accounts whose verdict says so, and removes the enrollments that the import made.
 * @returns the audit entries
 */
export async function restoreAccounts(
  core: Core,
  importId: string,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<AuditRecord[]> {
  const { Enrollment } = core.database.models;
  const restored = withOutcome(verdicts, 'restored');
  if (restored.length === 0) return [];
  // Before anything is changed.
  const audit = restored.map(({ user, row, note, courses }) =>
    restoredAccount({ importId, line: row.line }, user, note, courses),
  );
  const phones = await lockPhoneKeys(core, transaction);
  const changed = restored.flatMap(({ user, note: { before } }) =>
    before ? [withOldFields(user, before, phones)] : [],
  );
  if (changed.length > 0) await saveAccounts(core, changed, transaction);
  const enrollments = restored.flatMap(({ note }) => note.enrollments ?? []);
  if (enrollments.length > 0) await Enrollment.destroy({ where: { id: enrollments }, transaction });
  // Few: of those who had left before.
  for (const { id, updatedAt: _, enrolledAt, replyAt, ...before } of restored.flatMap(
    ({ note }) => note.revived ?? [],
  )) {
    const moments = { enrolledAt: new Date(enrolledAt), replyAt: replyAt === null ? null : new Date(replyAt) };
    await Enrollment.update({ ...before, ...moments }, { where: { id }, transaction });
  }
  const signedOut = restored.filter(({ note }) => endsSessionsOf(note)).map(({ user }) => user.id);
  if (signedOut.length > 0) {
    await endSessions(core, signedOut, transaction);
    await endLinks(core, signedOut, transaction);
  }
  const rescued = restored.filter(({ note }) => changesReach(note)).map(({ user }) => user.id);
  if (rescued.length > 0) await endAllLinks(core, rescued, transaction);
  await endInvitations(
    core,
    restored.flatMap(({ user, note }) => (note.before?.passwordHash === undefined ? [] : [user.id])),
    transaction,
  );
  await withdrawMails(core, { importId, userId: restored.map(({ user }) => user.id) }, transaction);
  return audit;
}

/** Sets the fields that the import has changed to their old values. */
function withOldFields(user: User, before: NonNullable<UndoNote['before']>, phones: PhoneKeys): DatedAccount {
  const { updatedAt, initialPasswordExpiresAt, ...fields } = before;
  // The note was made of the fields of an account: see noteOf() in run/accounts.ts.
  user.set(fields as Partial<InferAttributes<User>>);
  if (initialPasswordExpiresAt !== undefined)
    user.set({
      initialPasswordExpiresAt: initialPasswordExpiresAt === null ? null : new Date(initialPasswordExpiresAt),
    });
  if (before.phone !== undefined) user.set(storedPhoneKeys(before.phone, phones));
  user.set(userKeys(user));
  return { user, updatedAt: new Date(updatedAt) };
}

/** Whether the person must log in again once the account is restored. */
function endsSessionsOf({ before }: UndoNote): boolean {
  if (!before) return false;
  const isAnother = before.email !== undefined || before.role !== undefined || before.isActive === false;
  return before.passwordHash !== undefined || isAnother;
}

/** Whether restoring changes how the person is reached, or whether they may sign in: see {@link endAllLinks}. */
const changesReach = ({ before }: UndoNote) => before?.email !== undefined || before?.isActive !== undefined;
