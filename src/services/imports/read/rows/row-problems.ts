import type { FieldProblem } from '../../../../field-problem.js';
import { type ImportField, importFields } from '../../../../schemas/import.js';
import { withoutInvisible } from '../../../../schemas/text.js';
import { maxHeadingLength, shownText } from '../../../../tables/table/text.js';
import { isSecretCell } from '../fields/header-aliases.js';
import { importFieldRules } from '../fields/import-fields.js';
import type { RowCode } from '../fields/row-codes.js';

export interface RowProblem {
  code: RowCode;
  /** The field to correct; null if the problem concerns no single field. */
  field: ImportField | null;
  /** Sentence that is the same for all rows with this problem. */
  message: string;
  /** Sentence about this row. Quotes its value unless the value is secret. */
  reason: string;
}

/**
 * Inserts a value after the field's name in a message: `Email "nobody" must be ...`.
 * @param value value of the row; blank values, hashes and values of secret fields are not inserted
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

/** Whether a cell has no visible character. */
export const isBlank = (value: string) => withoutInvisible(value.slice(0, maxHeadingLength)).trim() === '';

/** Fields with a fixed set of words, described for people. */
const allowedWords = {
  role: 'trainee or trainer, or a usual word for them',
  isActive: 'yes or no, or active or inactive',
  enrollmentStatus: 'active or pending',
} as const;
export type ListedField = keyof typeof allowedWords;
export const isListed = (field: string): field is ListedField => field in allowedWords;

/** Labels of a file for messages about its rows. */
export interface FileLabels {
  /** Whether messages may quote cells. False in a file with passwords, because a password may be in a wrong column. */
  mayQuoteCells: boolean;
  /** Columns of fields with a fixed set of words: their headings, and the options that ignore them. */
  columns: Partial<Readonly<Record<ListedField, { heading: string; ignore: string }>>>;
  /** Headings that differ from the names of their fields. */
  headings: Partial<Readonly<Record<ImportField, string>>>;
}

type Input = Partial<Record<ImportField, string>>;

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

/** Replaces the field's name by the heading of the file in the sentences of a problem. */
export function withFileHeading(problem: RowProblem, { headings }: FileLabels): RowProblem {
  const { field, message, reason } = problem;
  const label = labelOf(field);
  const heading = field === null ? undefined : headings[field];
  if (label === null || heading === undefined) return problem;
  const named = (text: string) => (text.startsWith(`${label} `) ? heading + text.slice(label.length) : text);
  return { ...problem, message: named(message), reason: named(reason) };
}

export function rowProblems(details: readonly FieldProblem[], input: Input, words: FileLabels): RowProblem[] {
  return details.map((problem) => {
    if (problem.path.startsWith('otherCourses'))
      return rowProblem('COURSE_INVALID', { ...problem, path: 'course' }, {}, words);
    if (problem.path.startsWith('groups')) return rowProblem('GROUP_INVALID', { ...problem, path: 'group' }, {}, words);
    const field = importFields.find((known) => known === problem.path);
    // The only problem without a field is a row with a password and a hash.
    if (field === undefined) return rowProblem('PASSWORD_AND_HASH', problem, input, words);
    if (isListed(field)) return unknownWordProblem(field, words, input[field] ?? '');
    const missing = isBlank(input[field] ?? '') ? importFieldRules[field].missing : undefined;
    const otherHalf = field === 'firstName' ? 'lastName' : 'firstName';
    const isOnlyName = missing === 'NAME_MISSING' && !isBlank(input[otherHalf] ?? '');
    const advice = isOnlyName ? ' A person with one name needs it in both columns.' : '';
    const worded = { ...problem, message: `${problem.message}${advice}` };
    return rowProblem(missing ?? importFieldRules[field].invalid, worded, input, words);
  });
}

/** Returns the problem of an unknown word. The quoted word makes rows with the same word share a message. */
function unknownWordProblem(field: ListedField, { mayQuoteCells, columns }: FileLabels, value: string): RowProblem {
  const { label, invalid } = importFieldRules[field];
  const { heading = label ?? field, ignore = '' } = columns[field] ?? {};
  const advice = ignore === '' ? '' : ` To ignore the column: ${ignore}.`;
  const sentence = quoteAfterLabel(
    heading,
    `${heading} must be ${allowedWords[field]}.${advice}`,
    mayQuoteCells ? value : '',
  );
  return { code: invalid, field, message: sentence, reason: sentence };
}
