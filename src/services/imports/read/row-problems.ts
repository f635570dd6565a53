import type { FieldProblem } from '../../../errors.js';
import { type ImportField, importFields } from '../../../schemas/import.js';
import { withoutInvisible } from '../../../schemas/text.js';
import { isSecretCell } from './header-aliases.js';
import type { RowCode } from './row-codes.js';

/** One problem of a row. */
export interface RowProblem {
  code: RowCode;
  /** The field that must be corrected; null when it isn't one. */
  field: ImportField | null;
  /** A sentence that is the same for all rows with this problem. */
  message: string;
  /** The sentence about this row, with its value where that isn't secret. */
  reason: string;
}

/** The code of a field that is filled in, but not as it must be. */
const invalidCodes: Readonly<Record<ImportField, RowCode>> = {
  firstName: 'NAME_INVALID',
  lastName: 'NAME_INVALID',
  fullName: 'NAME_INVALID',
  email: 'EMAIL_INVALID',
  phone: 'PHONE_INVALID',
  role: 'ROLE_UNKNOWN',
  isActive: 'IS_ACTIVE_UNKNOWN',
  suspended: 'IS_ACTIVE_UNKNOWN',
  password: 'PASSWORD_INVALID',
  passwordHash: 'PASSWORD_HASH_INVALID',
  course: 'COURSE_INVALID',
  enrollmentStatus: 'ENROLLMENT_STATUS_UNKNOWN',
  notes: 'NOTES_INVALID',
};

/** The code of a required field that is blank. */
const missingCodes: Partial<Readonly<Record<ImportField, RowCode>>> = {
  firstName: 'NAME_MISSING',
  lastName: 'NAME_MISSING',
  email: 'EMAIL_MISSING',
};

/** What messages call the fields whose values may be quoted. Passwords and hashes are missing. */
const labels: Partial<Readonly<Record<ImportField, string>>> = {
  firstName: 'First name',
  lastName: 'Last name',
  fullName: 'Full name',
  email: 'Email',
  phone: 'Phone',
  role: 'Role',
  isActive: 'isActive',
  course: 'Course',
  enrollmentStatus: 'Enrollment status',
  notes: 'Notes',
};

const longestShown = 60;

/** A value for a sentence: in quotes, in one line, and shortened. */
function quoted(value: string): string {
  const line = withoutInvisible(value.slice(0, 4 * longestShown))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = Array.from(line.toWellFormed());
  return `"${characters.length > longestShown ? `${characters.slice(0, longestShown).join('')}…` : line.toWellFormed()}"`;
}

/**
 * A sentence about a field with its value after the field's name: `Email "nobody" must be ...`.
 * @param value what the row has; blank values, hashes and values of secret fields are not quoted
 */
export function withValue(field: ImportField | null, message: string, value: string): string {
  return withLabelled(field === null ? undefined : labels[field], message, value);
}

function withLabelled(label: string | undefined, message: string, value: string): string {
  const isNamed = label !== undefined && (message.startsWith(`${label} `) || message.startsWith(`${label}: `));
  const isShown = isNamed && !isBlank(value) && !isSecretCell(value);
  return isShown ? `${label} ${quoted(value)}${message.slice(label.length)}` : message;
}

/** Whether nothing of a cell can be seen. */
export const isBlank = (value: string) => withoutInvisible(value.slice(0, 4 * longestShown)).trim() === '';

/** What a row says, and whether it may be repeated. */
interface Told {
  input: Partial<Record<ImportField, string>>;
  /** False in a file with passwords: cells that have moved to other columns may be some. */
  quotes: boolean;
  /** The column for active or inactive accounts: its words are the file's own. */
  state?: { heading: string; ignore: string };
  /** What the file calls the columns of fields, where it calls them differently. */
  headings: Partial<Readonly<Record<ImportField, string>>>;
}

/** A problem of a row whose code is known. */
export function rowProblem(
  code: RowCode,
  { path, message }: Pick<FieldProblem, 'path' | 'message'>,
  { input, quotes, headings }: Told,
): RowProblem {
  const field = importFields.find((known) => known === path) ?? null;
  const value = field === null || !quotes ? '' : (input[field] ?? '');
  return inWordsOfFile({ code, field, message, reason: withValue(field, message, value) }, headings);
}

/** A problem that calls its column as the file does. */
export function inWordsOfFile(problem: RowProblem, headings: Told['headings']): RowProblem {
  const { field, message, reason } = problem;
  const label = field === null ? undefined : labels[field];
  const heading = field === null ? undefined : headings[field];
  if (label === undefined || heading === undefined) return problem;
  const named = (text: string) => (text.startsWith(`${label} `) ? heading + text.slice(label.length) : text);
  return { ...problem, message: named(message), reason: named(reason) };
}

/** The problems that the schema has found in a row. */
export function rowProblems(details: readonly FieldProblem[], told: Told): RowProblem[] {
  return details.map((problem) => {
    const path = problem.path.startsWith('otherCourses') ? 'course' : problem.path;
    const field = importFields.find((known) => known === path);
    if (field === 'isActive' && told.state) return stateProblem(told.state, told);
    if (path !== problem.path) return rowProblem('COURSE_INVALID', { ...problem, path }, { ...told, quotes: false });
    // The only problem of the row as a whole is that it has both.
    if (field === undefined) return rowProblem('PASSWORD_AND_HASH', problem, told);
    const missing = isBlank(told.input[field] ?? '') ? missingCodes[field] : undefined;
    const otherHalf = field === 'firstName' ? 'lastName' : 'firstName';
    const isOnlyName = missing === 'NAME_MISSING' && !isBlank(told.input[otherHalf] ?? '');
    const advice = isOnlyName ? ' A person with one name needs it in both columns.' : '';
    return rowProblem(missing ?? invalidCodes[field], { ...problem, message: `${problem.message}${advice}` }, told);
  });
}

/** An unknown word for active or inactive accounts. Rows with the same word have the same message. */
function stateProblem({ heading, ignore }: NonNullable<Told['state']>, { input, quotes }: Told): RowProblem {
  const message = `${heading} must be yes or no, or active or inactive. To ignore the column: ${ignore}.`;
  const told = withLabelled(heading, message, quotes ? (input.isActive ?? '') : '');
  return { code: 'IS_ACTIVE_UNKNOWN', field: 'isActive', message: told, reason: told };
}
