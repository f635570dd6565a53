import { Op, type Transaction } from 'sequelize';
import type { Enrollment } from '../../../db/models/enrollment.js';
import type { ImportRow } from '../../../db/models/import-row.js';
import { parseUndoNote, type UndoNote } from '../../../db/models/import-row.js';
import type { User } from '../../../db/models/user.js';
import { openStatuses } from '../../../schemas/enrollment-statuses.js';
import type { PhoneKeys } from '../../../schemas/phone-keys.js';
import type { Core } from '../../core.js';
import type { KeyIndex } from '../read/rows/key-index.js';
import { accountIdOf, type KeptCode } from '../store/ledger.js';

/** Decision of an undo on a row of the ledger. The code says why the account is kept, or that it was deleted before. */
export type Verdict = RowFacts &
  ({ outcome: 'removed' | 'restored'; code: 'GONE' | null } | { outcome: 'kept'; code: KeptCode });

interface RowFacts {
  row: ImportRow;
  /** Account of the row, which may be gone. */
  userId: string;
  user: User | undefined;
  email: string | null;
  note: UndoNote;
  courses: string[];
  /** Enrollments that the row created or renewed. */
  enrollments: Enrollment[];
}

/** Accounts of some rows, and the facts that decide whether undo may change them. */
export interface AccountActivity {
  users: ReadonlyMap<string, User>;
  enrollments: ReadonlyMap<string, Enrollment[]>;
  withSessions: ReadonlySet<string>;
  withCourses: ReadonlySet<string>;
}

/** Enrollments, by id, that were already undone with later rows about the same people. */
export type UndoneEnrollments = KeyIndex;

/** `Map.groupBy`, which Node 20 lacks. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Reads the accounts of some rows, and locks them if there is a transaction. */
export async function readActivity(
  core: Core,
  rows: readonly ImportRow[],
  transaction?: Transaction,
): Promise<AccountActivity> {
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
    enrollments: groupBy(enrollments, ({ userId }) => userId),
    withSessions: new Set(sessions.map(({ userId }) => userId)),
    withCourses: new Set(courses.map(({ trainerId }) => trainerId)),
  };
}

/** Returns the reason to keep a created account, without looking at its enrollments; null if the account was not used. */
function keepReasonIfUsed(user: User, activity: AccountActivity): KeptCode | null {
  if (user.lastLogin !== null || activity.withSessions.has(user.id)) return 'LOGGED_IN';
  if (user.inviteState === 'accepted') return 'INVITE_ACCEPTED';
  if (user.updatedAt.getTime() !== user.createdAt.getTime()) return 'EDITED';
  return activity.withCourses.has(user.id) ? 'HAS_COURSES' : null;
}

/** Returns why a created account is kept; null if it is removed. */
function keepReasonOfCreated(user: User, note: UndoNote, activity: AccountActivity): KeptCode | null {
  const why = keepReasonIfUsed(user, activity);
  if (why !== null) return why;
  const [own, others] = splitCreatedByRow(activity.enrollments.get(user.id) ?? [], note);
  return others.length > 0 || own.some(hasChanged) ? 'ENROLLED' : null;
}

/** Whether an enrollment has changed since its creation, for example by acceptance or progress. */
const hasChanged = (enrollment: Enrollment) => enrollment.updatedAt.getTime() !== enrollment.createdAt.getTime();

/** Returns why an updated or enrolled account is kept as it is; null if it is restored. */
function keepReasonOfExisting(user: User, note: UndoNote, activity: AccountActivity): KeptCode | null {
  if (note.updatedAt !== undefined) {
    const updatedAt = Date.parse(note.updatedAt);
    if ((user.lastLogin?.getTime() ?? 0) > updatedAt) return 'LOGGED_IN';
    if (user.updatedAt.getTime() !== updatedAt) return 'EDITED';
  }
  const usedSince = note.ofCreated ? keepReasonIfUsed(user, activity) : null;
  if (usedSince !== null) return usedSince;
  const all = activity.enrollments.get(user.id) ?? [];
  const [own, others] = splitCreatedByRow(all, note);
  if (own.some(hasChanged) || all.some((one) => hasChangedSinceRevival(one, note))) return 'ENROLLED';
  // The old role is restored only if an edit could restore it: an account with courses stays a trainer, and one with open
  // enrollments a trainee.
  const role = note.before?.role;
  if (role === undefined) return null;
  if (role !== 'trainer' && activity.withCourses.has(user.id)) return 'HAS_COURSES';
  const isRevived = ({ id }: Enrollment) => note.revived?.some((one) => one.id === id) ?? false;
  return role !== 'trainee' && others.some((one) => openStatuses.includes(one.status) && !isRevived(one))
    ? 'ENROLLED'
    : null;
}

/** Whether an enrollment that the import renewed has changed since. */
function hasChangedSinceRevival({ id, updatedAt }: Enrollment, { revived = [] }: UndoNote): boolean {
  return revived.some((one) => one.id === id && Date.parse(one.updatedAt) !== updatedAt.getTime());
}

/** Returns the enrollments that the row created, and the other enrollments. */
function splitCreatedByRow(enrollments: readonly Enrollment[], note: UndoNote): [Enrollment[], Enrollment[]] {
  const isOwn = ({ id }: Enrollment) => note.enrollments?.includes(id) ?? false;
  return [enrollments.filter(isOwn), enrollments.filter((one) => !isOwn(one))];
}

/**
 * Changes verdicts from `restored` to `kept` if the old email or phone now belongs to another account. If another account takes
 * the email or phone at the same moment, a unique index makes the undo fail, and a person can repeat it.
 */
export async function keepTakenKeys(
  core: Core,
  verdicts: readonly Verdict[],
  { keyOf }: PhoneKeys,
  transaction?: Transaction,
): Promise<Verdict[]> {
  const restored = verdicts.filter(({ outcome }) => outcome === 'restored');
  const emails = restored.flatMap(({ note }) => note.before?.email ?? []);
  const phones = restored.flatMap(({ note }) => (note.before?.phone ? keyOf(note.before.phone) : []));
  if (emails.length === 0 && phones.length === 0) return [...verdicts];
  const holders = await core.database.models.User.findAll({
    attributes: ['id', 'email', 'phoneKey'],
    where: { [Op.or]: [{ email: emails }, { phoneKey: phones }] },
    raw: true,
    ...(transaction && { transaction }),
  });
  const byEmail = new Map(holders.map(({ id, email }) => [email, id]));
  const byPhone = new Map(holders.map((holder) => [holder.phoneKey, holder.id]));
  return verdicts.map((verdict) => {
    const { user, outcome, note } = verdict;
    if (!user || outcome !== 'restored') return verdict;
    const { email, phone } = note.before ?? {};
    const others = [
      email === undefined ? undefined : byEmail.get(email),
      phone ? byPhone.get(keyOf(phone)) : undefined,
    ];
    const isTaken = others.some((id) => id !== undefined && id !== user.id);
    return isTaken ? { ...verdict, outcome: 'kept', code: 'KEY_TAKEN' } : verdict;
  });
}

/**
 * Returns the verdicts on rows, which must be sorted from the last to the first.
 * @param undone enrollments that were undone with later rows, and are ignored; receives those of these rows
 */
export function judgeRows(rows: readonly ImportRow[], activity: AccountActivity, undone: UndoneEnrollments): Verdict[] {
  const enrollments = new Map(activity.enrollments);
  const withoutUndone = (userId: string | null) => {
    const left = activity.enrollments.get(userId ?? '')?.filter(({ id }) => undone.lineOf(id) === undefined);
    if (left) enrollments.set(userId ?? '', left);
  };
  return rows.map((row) => {
    withoutUndone(row.userId);
    const verdict = judgeRow(row, { ...activity, enrollments });
    const { enrollments: made = [], revived = [] } = verdict.note;
    if (row.code === 'SAME_PERSON' && verdict.outcome === 'restored')
      for (const id of [...made, ...revived.map((one) => one.id)]) undone.recordLine(id, row.line);
    return verdict;
  });
}

function judgeRow(row: ImportRow, activity: AccountActivity): Verdict {
  const userId = accountIdOf(row);
  const user = activity.users.get(userId);
  const note = parseUndoNote(row.undoJson) ?? {};
  const [own, others] = splitCreatedByRow(activity.enrollments.get(userId) ?? [], note);
  const courses = own.map(({ courseId }) => courseId);
  const revived = others.filter(({ id }) => note.revived?.some((one) => one.id === id));
  const about = { row, userId, user, email: user?.email ?? null, note, courses, enrollments: [...own, ...revived] };
  // The account was deleted: there is nothing to undo.
  if (!user) return { ...about, outcome: row.outcome === 'created' ? 'removed' : 'kept', code: 'GONE' };
  const code =
    row.outcome === 'created' ? keepReasonOfCreated(user, note, activity) : keepReasonOfExisting(user, note, activity);
  if (code !== null) return { ...about, outcome: 'kept', code };
  return { ...about, outcome: row.outcome === 'created' ? 'removed' : 'restored', code: null };
}
