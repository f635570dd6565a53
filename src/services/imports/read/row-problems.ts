import type { FieldProblem } from '../../../field-problem.js';
import { type ImportField, importFields } from '../../../schemas/import.js';
import { withoutInvisible } from '../../../schemas/text.js';
import { isSecretCell } from './header-aliases.js';
import { longestKnown, shownText } from './headings.js';
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

/** Never shown, or called what its column is called. */
type UnquotedField = 'password' | 'passwordHash' | 'suspended';

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

/** What messages call the fields whose values may be quoted. */
const quoted: Readonly<Record<Exclude<ImportField, UnquotedField>, string>> = {
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
const labels: Partial<Readonly<Record<ImportField, string>>> = quoted;

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
  return isShown ? `${label} "${shownText(value)}"${message.slice(label.length)}` : message;
}

/** Whether nothing of a cell can be seen. */
export const isBlank = (value: string) => withoutInvisible(value.slice(0, longestKnown)).trim() === '';

/** How the rows of a file are told about. */
export interface FileWords {
  /** Whether values may be quoted: not in a file with passwords, as cells that have moved to other columns may be some. */
  quotes: boolean;
  /** The column for active or inactive accounts: its words are the file's own. */
  state?: { heading: string; ignore: string };
  /** What the file calls the columns of fields, where it calls them differently. */
  headings: Partial<Readonly<Record<ImportField, string>>>;
}

type Input = Partial<Record<ImportField, string>>;

/** A problem of a row whose code is known. @param input what the row says */
export function rowProblem(
  code: RowCode,
  { path, message }: Pick<FieldProblem, 'path' | 'message'>,
  input: Input,
  words: FileWords,
): RowProblem {
  const field = importFields.find((known) => known === path) ?? null;
  const value = field === null || !words.quotes ? '' : (input[field] ?? '');
  return inWordsOfFile({ code, field, message, reason: withValue(field, message, value) }, words);
}

/** A problem that calls its column as the file does. */
export function inWordsOfFile(problem: RowProblem, { headings }: FileWords): RowProblem {
  const { field, message, reason } = problem;
  const label = field === null ? undefined : labels[field];
  const heading = field === null ? undefined : headings[field];
  if (label === undefined || heading === undefined) return problem;
  const named = (text: string) => (text.startsWith(`${label} `) ? heading + text.slice(label.length) : text);
  return { ...problem, message: named(message), reason: named(reason) };
}

/** The problems that the schema has found in a row. */
export function rowProblems(details: readonly FieldProblem[], input: Input, words: FileWords): RowProblem[] {
  return details.map((problem) => {
    if (problem.path.startsWith('otherCourses'))
      return rowProblem('COURSE_INVALID', { ...problem, path: 'course' }, {}, words);
    const field = importFields.find((known) => known === problem.path);
    // The only problem of the row as a whole is that it has both.
    if (field === undefined) return rowProblem('PASSWORD_AND_HASH', problem, input, words);
    if (field === 'isActive' && words.state)
      return stateProblem(words.state, words.quotes ? (input.isActive ?? '') : '');
    const missing = isBlank(input[field] ?? '') ? missingCodes[field] : undefined;
    const otherHalf = field === 'firstName' ? 'lastName' : 'firstName';
    const isOnlyName = missing === 'NAME_MISSING' && !isBlank(input[otherHalf] ?? '');
    const advice = isOnlyName ? ' A person with one name needs it in both columns.' : '';
    const told = { ...problem, message: `${problem.message}${advice}` };
    return rowProblem(missing ?? invalidCodes[field], told, input, words);
  });
}

/** An unknown word for active or inactive accounts. Rows with the same word have the same message. */
function stateProblem({ heading, ignore }: NonNullable<FileWords['state']>, value: string): RowProblem {
  const message = `${heading} must be yes or no, or active or inactive. To ignore the column: ${ignore}.`;
  const told = withLabelled(heading, message, value);
  return { code: 'IS_ACTIVE_UNKNOWN', field: 'isActive', message: told, reason: told };
}
