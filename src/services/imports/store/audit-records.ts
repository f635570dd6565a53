import type { UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { type AuditRecord, auditedUser } from '../../audit/audit.js';
import { type Decision, takesSeat } from '../plan/outcomes.js';

export interface LedgerEntry {
  userId: string | null;
  note: UndoNote;
}

interface Origin {
  importId: string;
  /** Null for a member who left a roster. */
  line: number | null;
}

/** Returns the old values of the fields that an update changed, without the password. */
function fieldsBefore({ before }: UndoNote): object {
  if (!before) return {};
  const { passwordHash: _, hasPassword: __, initialPasswordExpiresAt: ___, updatedAt: ____, ...fields } = before;
  return fields;
}

/** Returns the values that a row changed, before and after; undefined if it changed none. */
function changesOf(decision: Decision, { note }: LedgerEntry): Pick<AuditRecord, 'before' | 'after'> | undefined {
  if (decision.outcome !== 'updated' && decision.outcome !== 'skipped') return undefined;
  const coursesOf = (enrollments: typeof decision.enrollments) => enrollments.map(({ course }) => course.id);
  const courses = coursesOf(decision.enrollments.filter(takesSeat));
  const waitingLists = coursesOf(decision.enrollments.filter((one) => !takesSeat(one)));
  const enrolled = { ...(courses.length > 0 && { courses }), ...(waitingLists.length > 0 && { waitingLists }) };
  if (decision.outcome === 'skipped') return decision.enrollments.length > 0 ? { after: enrolled } : undefined;
  const reset = decision.resetPassword ? { requiresPasswordChange: true } : {};
  return { before: fieldsBefore(note), after: { ...decision.changes, ...reset, ...enrolled } };
}

/**
 * Returns the audit entries of a batch: one for each account that it changes or enrolls. Created accounts have none, because
 * the ledger names them: see docs/DECISIONS.md.
 */
export function changedAccounts(
  importId: string,
  decisions: readonly Decision[],
  ledger: ReadonlyMap<number, LedgerEntry>,
): AuditRecord[] {
  return decisions.flatMap((decision): AuditRecord[] => {
    const { line } = decision.row;
    const done = ledger.get(line);
    const changes = done && changesOf(decision, done);
    if (!done?.userId || !changes) return [];
    const target = { action: 'user.import', targetType: 'user', targetId: done.userId } as const;
    return [{ ...target, ...changes, after: { importId, line, ...changes.after } }];
  });
}

const undone = (user: User) => ({ action: 'user.undo-import', targetType: 'user', targetId: user.id }) as const;

export function removedAccount(origin: Origin, user: User, courses: readonly string[]): AuditRecord {
  const enrolled = courses.length > 0 ? { courses } : {};
  return { ...undone(user), before: { ...auditedUser(user), ...enrolled }, after: origin };
}

/**
 * Returns the audit entry of an account that undo restores.
 * @param user account before the undo
 * @param courses courses of the enrollments that undo removes
 */
export function restoredAccount(origin: Origin, user: User, note: UndoNote, courses: readonly string[]): AuditRecord {
  const after = fieldsBefore(note);
  const known = new Map(Object.entries(auditedUser(user)));
  const before = Object.fromEntries(Object.keys(after).map((field) => [field, known.get(field)]));
  const enrolled = courses.length > 0 ? { courses } : {};
  return { ...undone(user), before: { ...before, ...enrolled }, after: { ...origin, ...after } };
}
