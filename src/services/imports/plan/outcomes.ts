import type { Course } from '../../../db/models/course.js';
import type { Enrollment } from '../../../db/models/enrollment.js';
import type { AccountInputField, AccountValues } from '../../../schemas/account-fields.js';
import { type EnrollmentStatus, rulesOf } from '../../../schemas/enrollment-statuses.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { InviteState } from '../../../schemas/mail.js';
import { isOpenInvitation } from '../../accounts/effects.js';
import { operator } from '../../core.js';
import type { NamedCourse } from '../../courses/find-course.js';
import { enrollmentEffects } from '../../enrollments/effects.js';
import type { RowCode } from '../read/fields/row-codes.js';
import type { CandidateRow, FileRow, RejectedRow } from '../read/rows/rows.js';

export interface ExistingAccount extends Pick<AccountValues, AccountInputField<'import'>> {
  id: string;
  phoneKey: string | null;
  mailOff: string;
  inviteState: InviteState | null;
  updatedAt: Date;
}

export type AccountChanges = Partial<Pick<AccountValues, AccountInputField<'import'>>>;

export type CourseReference = Pick<Course, 'id' | 'title' | 'trainerId' | 'maxStudents' | 'waitingMax' | 'isPublished'>;

/** A name in the file that no course or several courses have, with the courses that may be meant. */
export interface CourseQuestion {
  name: string;
  candidates: NamedCourse[];
}

/** An existing enrollment that has ended or is waiting, as it is before a row enrolls the person again. */
export type EarlierEnrollment = Pick<
  Enrollment,
  'id' | 'status' | 'waitingNumber' | 'enrolledAt' | 'cancelReason' | 'reply' | 'replyAt' | 'replyBy'
>;

/** An enrollment that a row creates or renews. */
export interface PlannedEnrollment {
  course: CourseReference;
  status: EnrollmentStatus;
  reply: string | null;
  /** The existing enrollment to renew: a trainee has at most one enrollment in a course. */
  earlier?: EarlierEnrollment;
  /** Whether the person is on the waiting list: free seats are reserved for people on it. */
  isOnWaitingList?: boolean;
}

export const takesSeat = ({ status }: PlannedEnrollment): boolean => rulesOf(status).takesSeat;

/** An enrollment that a row doesn't get, because the course or its waiting list is full. */
export interface LeftOutEnrollment {
  course: CourseReference;
  code: 'COURSE_FULL' | 'WAITING_LIST_FULL';
}

/** A group to which a row adds its person. It has no id if the import creates it. */
export interface PlannedGroup {
  /** Unique key of the name. */
  key: string;
  name: string;
  id?: string;
}

interface Accepted {
  row: CandidateRow;
  enrollments: readonly PlannedEnrollment[];
  leftOut?: readonly LeftOutEnrollment[];
  /** Groups to which the row adds the person; absent if there are none. */
  groups?: readonly PlannedGroup[];
  /** Role of the person in the roster that the import synchronises, as it is before the row. */
  roster?: RosterRole;
  /** Existing enrollments of other rosters, which the roster of the import assigns to itself, too. */
  claims?: readonly string[];
}

/** `member`: edits by hand to the person's enrollments stay. `inactive`: the account is inactive and stays so. */
export type RosterRole = 'member' | 'inactive';

/** Decision on a row about the person of an earlier line: the row only enrolls, and adds to groups. */
export interface SamePerson extends Accepted {
  outcome: 'skipped';
  code: 'SAME_PERSON';
  earlierLine: number;
  /** The current account; absent if the earlier line creates the account and isn't written yet. */
  account?: ExistingAccount;
  /** Whether the earlier line creates the account, or has created it. */
  isAccountCreated: boolean;
}

export type Decision =
  | ({ outcome: 'created' } & Accepted)
  | ({
      outcome: 'updated';
      account: ExistingAccount;
      changes: AccountChanges;
      resetPassword: boolean;
    } & Accepted)
  | ({
      outcome: 'skipped';
      code: 'ALREADY_EXISTS' | 'UNCHANGED' | 'KEPT_INACTIVE';
      account: ExistingAccount;
    } & Accepted)
  | SamePerson
  | {
      outcome: 'rejected';
      row: RejectedRow & { courseQuestion?: CourseQuestion };
      accountId?: string;
    };

export type Outcome = Decision['outcome'];

/**
 * Returns the decision to reject a row.
 * @param reason sentence for the person who corrects the file
 * @param accountId account that the row matched, if any
 */
export function rejection(
  row: FileRow,
  code: RowCode,
  reason: string,
  accountId?: string,
): Decision & { outcome: 'rejected' } {
  const { line, cells } = row;
  return { outcome: 'rejected', row: { line, cells, code, reason }, ...(accountId !== undefined && { accountId }) };
}

export const leftOutOf = (decision: Decision): readonly LeftOutEnrollment[] =>
  decision.outcome === 'rejected' ? [] : (decision.leftOut ?? []);

/** Returns the first code of a decision, and further codes as the database stores them: with a space around each. */
export function codesOf(decision: Decision): { code: RowCode | null; otherCodes: string | null } {
  const codes = new Set<RowCode>();
  if (decision.outcome === 'skipped') codes.add(decision.code);
  if (decision.outcome === 'rejected')
    for (const { code } of [decision.row, ...(decision.row.problems ?? [])]) codes.add(code);
  for (const { code } of leftOutOf(decision)) codes.add(code);
  const [code = null, ...others] = codes;
  return { code, otherCodes: others.length === 0 ? null : ` ${others.join(' ')} ` };
}

const leftOutReasons = {
  COURSE_FULL: 'the course is full',
  WAITING_LIST_FULL: 'the course and its waiting list are full',
} as const;

/** Returns the reason for a rejection or for left-out enrollments; null for other rows. */
export function reasonOf(decision: Decision): string | null {
  if (decision.outcome === 'rejected') return decision.row.reason;
  const leftOut = leftOutOf(decision).map(
    ({ course, code }) => `No place in "${course.title}": ${leftOutReasons[code]}.`,
  );
  return leftOut.length === 0 ? null : leftOut.join(' ');
}

/** Returns the existing account of a decision; undefined if this row or an earlier row creates it. */
export const accountOf = (decision: Exclude<Decision, { outcome: 'rejected' }>): ExistingAccount | undefined =>
  decision.outcome === 'created' ? undefined : decision.account;

export const groupsOf = (decision: Decision): readonly PlannedGroup[] =>
  decision.outcome === 'rejected' ? [] : (decision.groups ?? []);

/** Counts the enrollments of a row that have a seat, wait, or are left out. */
export function countEnrollments(decision: Decision): { enrolled: number; waiting: number; leftOut: number } {
  const enrollments = decision.outcome === 'rejected' ? [] : decision.enrollments;
  const enrolled = enrollments.filter(takesSeat).length;
  return { enrolled, waiting: enrollments.length - enrolled, leftOut: leftOutOf(decision).length };
}

/** Whether the row's account gets a password from this import. */
export function needsSecret(decision: Decision): decision is Decision & { outcome: 'created' | 'updated' } {
  return decision.outcome === 'created' || (decision.outcome === 'updated' && decision.resetPassword);
}

/** Whether the person of a row is invited to set a password. A person whose password is in the file is not invited. */
export function isInvited({ invite }: Pick<ImportOptions, 'invite'>, decision: Decision): boolean {
  return invite && decision.outcome === 'created' && !hasOwnPassword(decision.row);
}

/** Whether an import creates the person's account without a password. */
export const getsNoPassword = (
  { invite, withPasswords, noPassword }: Pick<ImportOptions, 'invite' | 'withPasswords' | 'noPassword'>,
  decision: Decision,
): boolean =>
  decision.outcome === 'created' && !hasOwnPassword(decision.row) && (noPassword || (invite && !withPasswords));

function hasOwnPassword({ person: { password, passwordHash } }: CandidateRow): boolean {
  return password !== undefined || passwordHash !== undefined;
}

/** Whether the person gets an invitation while the import runs. All lines about a person have the same password, or none. */
function getsInvitation(options: Pick<ImportOptions, 'invite'>, decision: Decision): boolean {
  if (isSamePerson(decision)) return options.invite && decision.isAccountCreated && !hasOwnPassword(decision.row);
  // Activating an account sends its invitation, if the invitation is still open.
  if (decision.outcome === 'updated' && decision.changes.isActive)
    return isOpenInvitation(decision.account.inviteState);
  return isInvited(options, decision);
}

/** Returns the enrollments about which the person gets a mail. */
export function enrollmentsToNotify(
  options: Pick<ImportOptions, 'invite' | 'notify'>,
  decision: Decision,
): readonly PlannedEnrollment[] {
  if (!options.notify || decision.outcome === 'rejected' || getsInvitation(options, decision)) return [];
  const mailOff = decision.outcome === 'created' ? [] : (decision.account?.mailOff.split(' ') ?? []);
  return decision.enrollments.filter(({ course, status, earlier }) => {
    const { news } = enrollmentEffects(earlier?.status, status, { author: operator, notify: true });
    return news !== undefined && course.isPublished && !mailOff.includes(news);
  });
}

export function isSamePerson(decision: Decision): decision is SamePerson {
  return decision.outcome === 'skipped' && decision.code === 'SAME_PERSON';
}

export function dependsOnCapacity(decision: Decision): boolean {
  if (decision.outcome === 'rejected') return false;
  return [...decision.enrollments, ...leftOutOf(decision)].some(({ course }) => course.maxStudents !== null);
}
