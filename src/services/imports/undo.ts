import { type InferAttributes, Op, type Transaction, UniqueConstraintError } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { Import } from '../../db/models/import.js';
import type { ImportRow } from '../../db/models/import-row.js';
import type { User } from '../../db/models/user.js';
import { phoneKey } from '../../schemas/keys.js';
import { saveAccount, userSearchKey } from '../accounts.js';
import { type AuditRecord, recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { seatedStatuses } from '../seats.js';
import { endSessions } from '../sessions.js';
import { removedAccount, restoredAccount } from './audit-records.js';
import { type UndoNote, undoNoteOf } from './undo-note.js';

/** Why undo left an account as it is. */
export type KeptCode = 'LOGGED_IN' | 'EDITED' | 'ENROLLED' | 'HAS_COURSES' | 'KEY_TAKEN' | 'GONE';

/** An account that undo left alone, because it has a life of its own by now. */
export interface KeptAccount {
  line: number;
  userId: string;
  /** null when the account is gone. */
  email: string | null;
  code: KeptCode;
}

/** How many accounts were removed and restored, and which were kept. */
export interface UndoResult {
  removed: number;
  restored: number;
  kept: KeptAccount[];
}

/** What is to be done about one row of the ledger. */
interface Verdict {
  row: ImportRow;
  user: User | undefined;
  /** The account's email before anything is undone. */
  email: string | null;
  note: UndoNote;
  /** The courses that the row enrolled the account in. */
  courses: string[];
  outcome: 'removed' | 'restored' | 'kept';
  code: KeptCode | null;
}

const undoBatch = 500;

/** Rows that changed something and were not undone, from the last one up. */
function undoable(core: Core, record: Import, before: number, transaction?: Transaction): Promise<ImportRow[]> {
  return core.database.models.ImportRow.findAll({
    where: {
      importId: record.id,
      undoOutcome: null,
      line: { [Op.lt]: before },
      [Op.or]: [{ outcome: ['created', 'updated'] }, { undoJson: { [Op.ne]: null } }],
    },
    order: [['line', 'DESC']],
    limit: undoBatch,
    ...(transaction && { transaction }),
  });
}

/** What is known of the accounts of some rows. */
interface Lives {
  users: ReadonlyMap<string, User>;
  enrollments: ReadonlyMap<string, Enrollment[]>;
  withSessions: ReadonlySet<string>;
  withCourses: ReadonlySet<string>;
}

/** Map.groupBy of newer Nodes. */
function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

async function livesOf(core: Core, rows: readonly ImportRow[], transaction?: Transaction): Promise<Lives> {
  const { Course, Enrollment, Session, User } = core.database.models;
  const ids = rows.flatMap(({ userId }) => (userId === null ? [] : [userId]));
  const within = transaction ? { transaction, lock: transaction.LOCK.UPDATE } : {};
  const read = transaction ? { transaction } : {};
  const users = await User.findAll({ where: { id: ids }, order: ['id'], ...within });
  const enrollments = await Enrollment.findAll({ where: { userId: ids }, order: ['id'], ...within });
  const sessions = await Session.findAll({ attributes: ['userId'], where: { userId: ids }, raw: true, ...read });
  const courses = await Course.findAll({ attributes: ['trainerId'], where: { trainerId: ids }, raw: true, ...read });
  return {
    users: new Map(users.map((user) => [user.id, user])),
    enrollments: groupedBy(enrollments, ({ userId }) => userId),
    withSessions: new Set(sessions.map(({ userId }) => userId)),
    withCourses: new Set(courses.map(({ trainerId }) => trainerId)),
  };
}

/** Why an account that the import created must stay, if it must. */
function lifeOfCreated(user: User, note: UndoNote, lives: Lives): KeptCode | null {
  if (user.lastLogin !== null || lives.withSessions.has(user.id)) return 'LOGGED_IN';
  if (user.updatedAt.getTime() !== user.createdAt.getTime()) return 'EDITED';
  if (lives.withCourses.has(user.id)) return 'HAS_COURSES';
  const [own, others] = parted(lives.enrollments.get(user.id) ?? [], note);
  return others.length > 0 || own.some(hasProgressed) ? 'ENROLLED' : null;
}

const hasProgressed = (enrollment: Enrollment) => enrollment.updatedAt.getTime() !== enrollment.createdAt.getTime();

/** Why an account that the import updated or enrolled must stay as it is, if it must. */
function lifeOfExisting(user: User, note: UndoNote, lives: Lives): KeptCode | null {
  if (note.updatedAt !== undefined) {
    const updatedAt = Date.parse(note.updatedAt);
    if ((user.lastLogin?.getTime() ?? 0) > updatedAt) return 'LOGGED_IN';
    if (user.updatedAt.getTime() !== updatedAt) return 'EDITED';
  }
  const all = lives.enrollments.get(user.id) ?? [];
  const [own, others] = parted(all, note);
  if (own.some(hasProgressed) || all.some((one) => hasMovedOn(one, note))) return 'ENROLLED';
  // A role is given back only where a person could change it: those who teach are trainers, those who have a place trainees.
  const role = note.before?.role;
  if (role === undefined) return null;
  if (role !== 'trainer' && lives.withCourses.has(user.id)) return 'HAS_COURSES';
  const isRevived = ({ id }: Enrollment) => note.revived?.some((one) => one.id === id) ?? false;
  return role !== 'trainee' && others.some((one) => isSeated(one) && !isRevived(one)) ? 'ENROLLED' : null;
}

/** Whether an enrollment that was let in again has changed since. */
function hasMovedOn({ id, updatedAt }: Enrollment, { revived = [] }: UndoNote): boolean {
  return revived.some((one) => one.id === id && Date.parse(one.updatedAt) !== updatedAt.getTime());
}

/** The enrollments that the row made, and the others. */
function parted(enrollments: readonly Enrollment[], note: UndoNote): [Enrollment[], Enrollment[]] {
  const isOwn = ({ id }: Enrollment) => note.enrollments?.includes(id) ?? false;
  return [enrollments.filter(isOwn), enrollments.filter((one) => !isOwn(one))];
}

const isSeated = ({ status }: Enrollment) => seatedStatuses.some((seated) => seated === status);

function verdictOn(row: ImportRow, lives: Lives): Verdict {
  const user = lives.users.get(row.userId ?? '');
  const note = undoNoteOf(row.undoJson) ?? {};
  const [own] = parted(lives.enrollments.get(row.userId ?? '') ?? [], note);
  const courses = own.map(({ courseId }) => courseId);
  const about = { row, user, email: user?.email ?? null, note, courses };
  // Somebody removed the account: then there is nothing left to take back.
  if (!user) return { ...about, outcome: row.outcome === 'created' ? 'removed' : 'kept', code: 'GONE' };
  const code = row.outcome === 'created' ? lifeOfCreated(user, note, lives) : lifeOfExisting(user, note, lives);
  if (code !== null) return { ...about, outcome: 'kept', code };
  return { ...about, outcome: row.outcome === 'created' ? 'removed' : 'restored', code: null };
}

async function carryOut(
  core: Core,
  actor: Actor,
  record: Import,
  verdicts: readonly Verdict[],
  transaction: Transaction,
): Promise<void> {
  const { Enrollment, ImportRow, User } = core.database.models;
  const audit: AuditRecord[] = [];
  const removed: string[] = [];
  for (const { outcome, user, row, courses } of verdicts) {
    if (outcome !== 'removed' || !user) continue;
    removed.push(user.id);
    audit.push(removedAccount({ importId: record.id, line: row.line }, user, courses));
  }
  // Their enrollments go with them.
  await User.destroy({ where: { id: removed }, transaction });
  for (const verdict of verdicts) {
    const { outcome, user, row, note, courses } = verdict;
    if (outcome !== 'restored' || !user) continue;
    const restored = restoredAccount({ importId: record.id, line: row.line }, user, note, courses);
    if (!(await restore(core, user, note, transaction))) {
      Object.assign(verdict, { outcome: 'kept', code: 'KEY_TAKEN' });
      continue;
    }
    await Enrollment.destroy({ where: { id: note.enrollments ?? [] }, transaction });
    for (const { id, enrolledAt, notes } of note.revived ?? [])
      await Enrollment.update(
        { status: 'cancelled', enrolledAt: new Date(enrolledAt), notes },
        { where: { id }, transaction },
      );
    audit.push(restored);
  }
  if (audit.length > 0) await recordAudit(core, actor, audit, transaction);
  const alike = groupedBy(verdicts, ({ outcome, code }) => `${outcome} ${code}`);
  for (const [first, ...others] of alike.values()) {
    if (!first) continue;
    await ImportRow.update(
      { undoOutcome: first.outcome, undoCode: first.code },
      { where: { importId: record.id, line: [first, ...others].map(({ row }) => row.line) }, transaction },
    );
  }
}

/** Gives an account its fields back. @returns false when somebody else has its old email or phone by now */
async function restore(core: Core, user: User, { before }: UndoNote, transaction: Transaction): Promise<boolean> {
  if (!before) return true;
  const { updatedAt, initialPasswordExpiresAt, ...fields } = before;
  user.set(fields as Partial<InferAttributes<User>>);
  if (initialPasswordExpiresAt !== undefined)
    user.set({
      initialPasswordExpiresAt: initialPasswordExpiresAt === null ? null : new Date(initialPasswordExpiresAt),
    });
  user.set({ phoneKey: phoneKey(user.phone), searchKey: userSearchKey(user) });
  try {
    await saveAccount(user, new Date(updatedAt), transaction);
  } catch (error) {
    if (error instanceof UniqueConstraintError) return false;
    throw error;
  }
  const isAnother = before.email !== undefined || before.role !== undefined || before.isActive === false;
  if (before.passwordHash !== undefined || isAnother) await endSessions(core, user.id, transaction);
  return true;
}

/** Commits a step of the undo, if it is still this process's turn. */
export type Advance = (
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<void>,
) => Promise<void>;

function addTo(result: UndoResult, verdicts: readonly Verdict[]): void {
  for (const { row, email, outcome, code } of verdicts) {
    if (outcome === 'removed') result.removed += 1;
    else if (outcome === 'restored') result.restored += 1;
    else result.kept.push({ line: row.line, userId: row.userId ?? '', email, code: code ?? 'GONE' });
  }
}

/** What undo would do now. Writes nothing. */
export async function undoPreview(core: Core, record: Import): Promise<UndoResult> {
  const result: UndoResult = { removed: 0, restored: 0, kept: [] };
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const verdicts = await core.database.read(async () => {
      const rows = await undoable(core, record, before);
      const lives = await livesOf(core, rows);
      return rows.map((row) => verdictOn(row, lives));
    });
    addTo(result, verdicts);
    if (verdicts.length < undoBatch) return result;
    before = verdicts.at(-1)?.row.line ?? 0;
  }
}

/**
 * Removes what an import created and restores what it updated, last row first, in steps that commit by themselves: one
 * that breaks off is gone on with. Accounts that have a life of their own by now are kept, and named.
 */
export async function takeBack(
  core: Core,
  actor: Actor,
  record: Import,
  advance: Advance,
  onProgress: (rows: number) => void = () => undefined,
): Promise<UndoResult> {
  const result: UndoResult = { removed: 0, restored: 0, kept: [] };
  await advance({ status: 'undoing' }, (transaction) =>
    recordAudit(core, actor, { action: 'import.undo', targetType: 'import', targetId: record.id }, transaction),
  );
  for (let rows = 0, before = Number.MAX_SAFE_INTEGER; ; ) {
    let verdicts: Verdict[] = [];
    await advance({ status: 'undoing' }, async (transaction) => {
      const found = await undoable(core, record, before, transaction);
      const lives = await livesOf(core, found, transaction);
      verdicts = found.map((row) => verdictOn(row, lives));
      await carryOut(core, actor, record, verdicts, transaction);
    });
    addTo(result, verdicts);
    rows += verdicts.length;
    onProgress(rows);
    if (verdicts.length < undoBatch) return result;
    before = verdicts.at(-1)?.row.line ?? 0;
  }
}
