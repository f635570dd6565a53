import type { FieldProblem } from '../../../../field-problem.js';
import { type ImportField, importFields } from '../../../../schemas/import.js';
import { withoutInvisible } from '../../../../schemas/text.js';
import { maxHeadingLength, shownText } from '../../../../tables/table/text.js';
import { isSecretCell } from '../fields/header-aliases.js';
import { importFieldRules } from '../fields/import-fields.js';
import type { RowCode } from '../fields/row-codes.js';

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

/**
 * A sentence about a field with its value after the field's name: `Email "nobody" must be ...`.
 * @param value what the row has; blank values, hashes and values of secret fields are not quoted
 */
export function quoteValue(field: ImportField | null, message: string, value: string): string {
  return quoteAfterLabel(labelOf(field), message, value);
}

const labelOf = (field: ImportField | null) => (field === null ? null : importFieldRules[field].label);

function quoteAfterLabel(label: string | null, message: string, value: string): string {
  const isNamed = label !== null && (message.startsWith(`${label} `) || message.startsWith(`${label}: `));
  const isShown = isNamed && !isBlank(value) && !isSecretCell(value);
  return isShown ? `${label} "${shownText(value)}"${message.slice(label.length)}` : message;
}

/** Whether nothing of a cell can be seen. */
export const isBlank = (value: string) => withoutInvisible(value.slice(0, maxHeadingLength)).trim() === '';

/** Fields with a list of words, and the words for people. */
const allowedWords = {
  role: 'trainee or trainer, or a usual word for them',
  isActive: 'yes or no, or active or inactive',
  enrollmentStatus: 'active or pending',
} as const;
export type ListedField = keyof typeof allowedWords;
export const isListed = (field: string): field is ListedField => field in allowedWords;

/** How the rows of a file are told about. */
export interface FileLabels {
  /** Whether values may be quoted: not in a file with passwords, as cells that have moved to other columns may be some. */
  mayQuoteCells: boolean;
  /** Columns of fields with a list of words: their words are the file's own. */
  columns: Partial<Readonly<Record<ListedField, { heading: string; ignore: string }>>>;
  /** What the file calls the columns of fields, where it calls them differently. */
  headings: Partial<Readonly<Record<ImportField, string>>>;
}

type Input = Partial<Record<ImportField, string>>;

/** A problem of a row whose code is known. @param input what the row says */
export function rowProblem(
  code: RowCode,
  { path, message }: Pick<FieldProblem, 'path' | 'message'>,
  input: Input,
  words: FileLabels,
): RowProblem {
  const field = importFields.find((known) => known === path) ?? null;
  const value = field === null || !words.mayQuoteCells ? '' : (input[field] ?? '');
  return withFileHeading({ code, field, message, reason: quoteValue(field, message, value) }, words);
}

/** A problem that calls its column as the file does. */
export function withFileHeading(problem: RowProblem, { headings }: FileLabels): RowProblem {
  const { field, message, reason } = problem;
  const label = labelOf(field);
  const heading = field === null ? undefined : headings[field];
  if (label === null || heading === undefined) return problem;
  const named = (text: string) => (text.startsWith(`${label} `) ? heading + text.slice(label.length) : text);
  return { ...problem, message: named(message), reason: named(reason) };
}

/** The problems that the schema has found in a row. */
export function rowProblems(details: readonly FieldProblem[], input: Input, words: FileLabels): RowProblem[] {
  return details.map((problem) => {
    if (problem.path.startsWith('otherCourses'))
      return rowProblem('COURSE_INVALID', { ...problem, path: 'course' }, {}, words);
    const field = importFields.find((known) => known === problem.path);
    // The only problem of the row as a whole is that it has both.
    if (field === undefined) return rowProblem('PASSWORD_AND_HASH', problem, input, words);
    if (isListed(field)) return unknownWordProblem(field, words, input[field] ?? '');
    const missing = isBlank(input[field] ?? '') ? importFieldRules[field].missing : undefined;
    const otherHalf = field === 'firstName' ? 'lastName' : 'firstName';
    const isOnlyName = missing === 'NAME_MISSING' && !isBlank(input[otherHalf] ?? '');
    const advice = isOnlyName ? ' A person with one name needs it in both columns.' : '';
    const told = { ...problem, message: `${problem.message}${advice}` };
    return rowProblem(missing ?? importFieldRules[field].invalid, told, input, words);
  });
}

/** An unknown word. Rows with the same word have the same message. */
function unknownWordProblem(field: ListedField, { mayQuoteCells, columns }: FileLabels, value: string): RowProblem {
  const { label, invalid } = importFieldRules[field];
  const { heading = label ?? field, ignore = '' } = columns[field] ?? {};
  const advice = ignore === '' ? '' : ` To ignore the column: ${ignore}.`;
  const told = quoteAfterLabel(
    heading,
    `${heading} must be ${allowedWords[field]}.${advice}`,
    mayQuoteCells ? value : '',
  );
  return { code: invalid, field, message: told, reason: told };
}
