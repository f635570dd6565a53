import { Op } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { PlanReason } from '../../../db/models/import-plan.js';
import type { ImportRow } from '../../../db/models/import-row.js';
import type { ImportField } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import type { MatchCode, RowCode } from '../read/fields/row-codes.js';
import type { RowProblem } from '../read/rows/row-problems.js';
import { type FileRow, isRejected } from '../read/rows/rows.js';
import { courseFull } from './course-index.js';
import { groupLimitReached, renamedPerhaps } from './group-decider.js';
import { type CourseQuestion, codesOf, type Decision, type LeftOutEnrollment } from './outcomes.js';
import { invitationsNeedMail, noInvitations, notEnrollable } from './trainer-decisions.js';

/** A problem of a row. Its message is the same for all rows with this problem. */
type Problem = Omit<RowProblem, 'reason'> & { courseQuestion?: CourseQuestion | undefined };

/** Messages about rows that are imported without one of their courses. */
const leftOutMessages = {
  COURSE_FULL: 'Course is at maximum capacity: the rows are imported without it.',
  WAITING_LIST_FULL: 'The course and its waiting list are full: the rows are imported without it.',
} as const;

/** Messages that all rows with a code share. The reason of each row, in contrast, names lines and accounts. */
const problemsByCode: Readonly<Record<MatchCode, Omit<Problem, 'code'>>> = {
  DUPLICATE_IN_FILE: {
    field: null,
    message:
      'An earlier line has the same email, phone or account. If it is the same person, delete this line. People who share an email need separate addresses, such as ' +
      'name+child@example.org. People who share a phone need separate phones, or none: --missing-phone allow.',
  },
  SAME_PERSON: {
    field: 'course',
    message: 'The person is on an earlier line with other courses or groups: these rows only add them.',
  },
  ACCOUNTS_DIFFER: {
    field: 'phone',
    message: 'The phone belongs to another account than the email, or to an account with another email.',
  },
  ALREADY_EXISTS: { field: null, message: 'There is an account already.' },
  UNCHANGED: { field: null, message: 'The account already has these values.' },
  PROTECTED_ACCOUNT: { field: null, message: "The super admin's account is never changed by an import." },
  HAS_COURSES: { field: 'role', message: "A trainer who has courses can't become a trainee." },
  HAS_ENROLLMENTS: { field: 'role', message: "A trainee who has enrollments can't become a trainer." },
  NOT_A_TRAINEE: { field: 'course', message: 'Only trainees can be enrolled: leave the course empty.' },
  ACCOUNT_INACTIVE: { field: 'isActive', message: "Inactive trainees can't be enrolled." },
  COURSE_UNKNOWN: { field: 'course', message: 'No course has this id or title.' },
  COURSE_AMBIGUOUS: { field: 'course', message: 'Several courses have this title: name it by its id.' },
  COURSE_FULL: { field: 'course', message: courseFull },
  WAITING_LIST_FULL: { field: 'course', message: leftOutMessages.WAITING_LIST_FULL },
  NOT_ENROLLABLE: { field: 'email', message: notEnrollable },
  MAIL_NOT_SET_UP: { field: null, message: invitationsNeedMail },
  INVITE_LIMIT: { field: null, message: noInvitations },
  GROUP_LIMIT: { field: 'group', message: groupLimitReached },
  KEPT_INACTIVE: { field: null, message: 'The account is inactive, and stays so: nobody is enrolled.' },
  RENAMED_PERHAPS: { field: 'email', message: renamedPerhaps },
  ENROLLMENT_CANCELLED: {
    field: 'enrollmentStatus',
    message: 'The enrollment was cancelled: it can become active again, but not pending.',
  },
};

/** Returns the field of a code, if the code always concerns the same field. */
export const fieldOfCode = (code: string | null): ImportField | null =>
  Object.entries(problemsByCode).find(([known]) => known === code)?.[1].field ?? null;

const isMatchCode = (code: RowCode): code is MatchCode => code in problemsByCode;

function problemOf(code: RowCode, reason = ''): Problem {
  const known = isMatchCode(code) ? problemsByCode[code] : undefined;
  // For an ambiguous title, only the reason names the courses. The reason is the same for all rows with the title.
  const isOwn = known === undefined || code === 'COURSE_AMBIGUOUS';
  return { code, field: known?.field ?? null, message: isOwn ? reason : known.message };
}

const isLeftOutCode = (code: string): code is LeftOutEnrollment['code'] => code in leftOutMessages;

/** Returns the problems of a row that is not rejected: why it is skipped, and which enrollments it leaves out. */
const problemsOfCodes = (codes: readonly string[]): Problem[] =>
  codes.map((code) =>
    // The database columns contain only row codes.
    isLeftOutCode(code) ? { code, field: 'course', message: leftOutMessages[code] } : problemOf(code as RowCode),
  );

const splitCodes = ({ code, otherCodes }: { code: string | null; otherCodes: string | null }): string[] =>
  `${code ?? ''}${otherCodes ?? ''}`.split(' ').filter((one) => one !== '');

/** Returns the reasons why a row is skipped or rejected, or leaves out an enrollment; empty for other rows. */
export function problemsOf(decision: Decision): readonly Problem[] {
  if (decision.outcome !== 'rejected') return problemsOfCodes(splitCodes(codesOf(decision)));
  const { code, reason, problems, courseQuestion } = decision.row;
  if (courseQuestion) return [{ code, field: 'course', message: reason, courseQuestion }];
  return problems ?? [problemOf(code, reason)];
}

type LedgerReason = Pick<ImportRow, 'outcome' | 'code' | 'otherCodes' | 'reason'>;

/** Returns the problems of a row that an earlier run decided. The ledger has only one text for all problems of the row. */
function problemsOfDone(row: FileRow, entry: LedgerReason): readonly Problem[] {
  const { outcome, code, reason } = entry;
  if (outcome !== 'rejected') return problemsOfCodes(splitCodes(entry));
  const ofFile = isRejected(row) ? row.problems : row.phoneProblem && [row.phoneProblem];
  if (ofFile?.[0]?.code === code) return ofFile;
  // The reason names the course. There is no question about it, because the row is decided.
  if (code === 'COURSE_UNKNOWN') return [{ code, field: 'course', message: reason ?? '' }];
  // Rejected rows always have a row code.
  return [problemOf(code as RowCode, reason ?? '')];
}

const outcomesInOrder: readonly PlanReason['outcome'][] = ['rejected', 'skipped', 'created', 'updated'];

/** Limits the memory of a plan, which must not grow with the file. */
const maxReasons = 200;
const rowsPerReason = 20;
const otherProblems = 'Other problems: see the rows.';

/** Groups rows by the reasons why they are not imported as they are. */
export class ReasonGroups {
  readonly #groups = new Map<string, PlanReason>();

  add(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#addRow(decision.outcome, problemsOf(decision), decision.row.line);
  }

  /** Adds rows that an earlier run decided, as its ledger states. */
  async addDone({ database }: Core, { id }: Pick<Import, 'id'>, rows: readonly FileRow[]): Promise<void> {
    const [first, last] = [rows[0]?.line, rows.at(-1)?.line];
    if (first === undefined || last === undefined) return;
    const ledger = await database.read(() =>
      database.models.ImportRow.findAll({
        attributes: ['line', 'outcome', 'code', 'otherCodes', 'reason'],
        where: { importId: id, line: { [Op.between]: [first, last] }, code: { [Op.ne]: null } },
        raw: true,
      }),
    );
    const byLine = new Map(ledger.map((entry) => [entry.line, entry]));
    for (const row of rows) {
      const entry = byLine.get(row.line);
      if (entry && entry.outcome !== 'left') this.#addRow(entry.outcome, problemsOfDone(row, entry), row.line);
    }
  }

  #addRow(outcome: PlanReason['outcome'], problems: readonly Problem[], line: number): void {
    if (outcome !== 'rejected') for (const problem of problems) this.#count(outcome, [problem], line);
    else if (problems.length > 0) this.#count(outcome, problems, line);
  }

  #count(outcome: PlanReason['outcome'], problems: readonly Problem[], line: number): void {
    const [code = '', ...otherCodes] = new Set(problems.map((problem) => problem.code));
    const [field = null, ...otherFields] = new Set(problems.map((problem) => problem.field));
    const message = [...new Set(problems.map((problem) => problem.message))].join(' ');
    // A row without its course has no other problem.
    const courseQuestion = problems[0]?.courseQuestion ?? null;
    const keyOf = (text: string) => [outcome, code, text].join('\n');
    const isKnown = this.#groups.has(keyOf(message)) || this.#groups.size < maxReasons;
    const shown = isKnown
      ? { code, otherCodes, field: otherFields.length === 0 ? field : null, message, courseQuestion }
      : { code, otherCodes: [], field: null, message: otherProblems, courseQuestion: null };
    const found = this.#groups.get(keyOf(shown.message));
    if (!found) {
      this.#groups.set(keyOf(shown.message), { outcome, ...shown, count: 1, rows: [line] });
      return;
    }
    found.count += 1;
    if (found.rows.length < rowsPerReason) found.rows.push(line);
  }

  /** Returns the reasons: rejections first, then by frequency. */
  list(): PlanReason[] {
    const rank = ({ outcome }: PlanReason) => outcomesInOrder.indexOf(outcome);
    return [...this.#groups.values()].sort((one, other) => rank(one) - rank(other) || other.count - one.count);
  }
}
