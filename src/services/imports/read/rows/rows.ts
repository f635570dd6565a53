import { isAppError } from '../../../../errors.js';
import type { FieldProblem } from '../../../../field-problem.js';
import type { ImportableRole, ImportField, ImportOptions } from '../../../../schemas/import.js';
import { type ImportedPerson, importedPersonSchema, quickPerson } from '../../../../schemas/imported-person.js';
import { validate } from '../../../../schemas/validate.js';
import { delimiterNames } from '../../../../tables/csv/delimiters.js';
import type { SourceFormat, SourceRow } from '../../../../tables/table/table.js';
import { filledWidth, shownText } from '../../../../tables/table/text.js';
import { restoreProtected } from '../../../../tables/write/cells.js';
import type { PasswordPolicy } from '../../../auth/password-policy.js';
import { isPlainHeading, mapOption } from '../columns/column-maps.js';
import { type ColumnMapping, fieldsByIndex } from '../columns/columns.js';
import { isSecretColumn } from '../fields/header-aliases.js';
import { headingKey } from '../fields/headings.js';
import { importFieldRules } from '../fields/import-fields.js';
import { parseLanguage } from '../fields/language-words.js';
import { parseRole } from '../fields/role-words.js';
import type { RowCode } from '../fields/row-codes.js';
import type { RowWarning } from '../fields/warnings.js';
import { findNameDamage, spreadsheetError } from './damaged-names.js';
import { findPhoneProblem, mangledNumber, missingPhone } from './phone-warnings.js';
import type { RepetitionFinder } from './repetitions.js';
import { isEmptyRow, type RowInput, readFields, uncalculatedFields } from './row-fields.js';
import {
  type FileLabels,
  isBlank,
  isListed,
  type RowProblem,
  rowProblem,
  rowProblems,
  withFileHeading,
} from './row-problems.js';
import { rowWarnings } from './row-warnings.js';

/** A row that the file alone gives no reason to reject. */
export interface CandidateRow extends SourceRow {
  person: ImportedPerson;
  /** False in a file with passwords: cells that have moved to other columns may be some. */
  mayQuoteCells: boolean;
  /**
   * Why the row is rejected unless its account already has exactly this phone, as in an export; of a row without a phone,
   * unless there is an account.
   */
  phoneProblem?: RowProblem;
  /** Whether an earlier line has the same person with other courses; absent in a file without a column of courses. */
  isRepeatedPerson?: boolean;
  /** What looks wrong, though the row can be imported. */
  warnings?: readonly RowWarning[];
}

/** A row that is rejected, and why. */
export interface RejectedRow extends SourceRow {
  /** Of its first problem. */
  code: RowCode;
  /** All problems of the row. */
  reason: string;
  /** The problems one by one, where the file alone shows them. */
  problems?: readonly RowProblem[];
}

/** A row that is rejected for these problems, of which there is at least one. */
export function rejectRow({ line, cells }: SourceRow, problems: readonly RowProblem[]): RejectedRow {
  const [first] = problems;
  if (first === undefined) throw new Error(`Line ${line} is rejected without a problem.`);
  return { line, cells, code: first.code, reason: problems.map(({ reason }) => reason).join(' '), problems };
}

/** A row, checked against the schema and the rows before it. */
export type FileRow = CandidateRow | RejectedRow;

/** Whether a row was rejected by the checks of the file alone. */
export function isRejected(row: FileRow): row is RejectedRow {
  return 'code' in row;
}

/** The rows of a batch that an earlier run hasn't done. @param rowsBefore how many rows of the file precede the batch */
export function remainingRows(batch: readonly FileRow[], rowsBefore: number, rowsDone: number): readonly FileRow[] {
  return batch.slice(Math.max(0, rowsDone - rowsBefore));
}

const maxRoleWords = 100;

/** The person of a row, or what the schema finds wrong with it. */
function validatePerson(
  input: RowInput,
): { person: ImportedPerson } | { person?: never; details: readonly FieldProblem[] } {
  try {
    return { person: quickPerson(input) ?? validate(importedPersonSchema, input) };
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    return { details: error.details };
  }
}

/** How the rows of a file are told about in its own words. */
function fileLabelsOf({ columns, fileColumns }: ColumnMapping): FileLabels {
  const fields = fieldsByIndex(columns);
  const columnOf = (field: ImportField) => fileColumns.find(({ index }) => index === columns.get(field)?.[0]);
  const headings = [...columns.keys()].flatMap((field) => {
    const heading = columnOf(field)?.heading.trim() ?? '';
    // Not where it is the field's own name, or something that isn't repeated.
    return isPlainHeading(heading) && headingKey(heading) !== headingKey(field) ? [[field, heading]] : [];
  });
  const listed = [...columns.keys()].flatMap((field) => {
    const column = columnOf(field);
    const name = field === 'suspended' ? 'isActive' : field;
    if (column === undefined || !isListed(name)) return [];
    const { label } = importFieldRules[name];
    const isCanonical = label !== null && headingKey(column.heading) === headingKey(name);
    const heading = isCanonical ? label : shownText(column.heading);
    return [[name, { heading, ignore: mapOption(column, '') }]];
  });
  return {
    mayQuoteCells: !fileColumns.some(({ heading, index }) =>
      isSecretColumn({ heading, field: fields.get(index) ?? null }),
    ),
    headings: Object.fromEntries(headings),
    columns: Object.fromEntries(listed),
  };
}

const lostPassword =
  'Password was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter the password again.';

/** What is told of an error of a spreadsheet where any text may stand. */
const errorCellMessages = {
  password: 'Password is what a spreadsheet writes for an error. Enter the password.',
  course: 'Course is what a spreadsheet writes for an error. Enter the course.',
  reply: 'Reply is what a spreadsheet writes for an error. Enter the reply, or leave the cell blank.',
};

/** A row without a person. */
export const emptyRow: RowWarning = {
  code: 'ROW_EMPTY',
  field: null,
  message: 'The row has no name, email and phone, only values that were filled down. It is not imported.',
};

const hiddenRow: RowWarning = {
  code: 'ROW_HIDDEN',
  field: null,
  message: 'The row is hidden in the sheet. It is imported like the others.',
};

/** What the checks of rows depend on besides the file. */
interface CheckOptions {
  options: Partial<Pick<ImportOptions, 'course' | 'missingPhone'>>;
  /** Which passwords are accepted. */
  policy: PasswordPolicy;
}

/** Checks rows one by one, against the schema and against those before them. */
export class RowChecker {
  readonly #check: CheckOptions;
  readonly #format: SourceFormat;
  readonly #mapping: ColumnMapping;
  readonly #repetitions: RepetitionFinder;
  readonly #labels: FileLabels;
  /** The words that stood for roles. */
  readonly roleWords = new Map<string, ImportableRole>();
  /** The cells of the last row with a person. */
  #before: readonly string[] = [];

  constructor(check: CheckOptions, format: SourceFormat, mapping: ColumnMapping, repetitions: RepetitionFinder) {
    this.#check = check;
    this.#format = format;
    this.#mapping = mapping;
    this.#repetitions = repetitions;
    this.#labels = fileLabelsOf(mapping);
  }

  /** @returns nothing for a row that was only filled down: it is no person's */
  check({ cells, quoteFault, ...others }: SourceRow): FileRow | undefined {
    // In a rejects file, as they were in the file that it came from.
    const row = { ...others, cells: this.#mapping.isRejects ? cells.map(restoreProtected) : cells };
    if (quoteFault !== undefined) {
      const message = `The row ${quoteFault}.`;
      return rejectRow(row, [{ code: 'QUOTES_INVALID', field: null, message, reason: message }]);
    }
    const surplus = this.#rejectSurplusCells(row);
    if (surplus) return surplus;
    if (isEmptyRow(row, this.#mapping, this.#before)) return undefined;
    this.#before = row.cells;
    return this.#rejectUncalculated(row) ?? this.#checkFields(row);
  }

  #rejectUncalculated(row: SourceRow): RejectedRow | undefined {
    const [field, ...others] = uncalculatedFields(row, this.#mapping);
    if (field === undefined) return undefined;
    const headings = [field, ...others].map((one) => `"${shownText(this.#headingOf(one))}"`).join(', ');
    const message = `The result of the formula in ${headings} is not in the file. Open the file in a spreadsheet, save it, and import it again.`;
    return rejectRow(row, [{ code: 'FORMULA_NOT_CALCULATED', field, message, reason: message }]);
  }

  #headingOf(field: ImportField): string {
    const [index] = this.#mapping.columns.get(field) ?? [];
    return this.#mapping.fileColumns.find((column) => column.index === index)?.heading.trim() || field;
  }

  #rejectSurplusCells(row: SourceRow): RejectedRow | undefined {
    const { width } = this.#mapping;
    const { workbook, delimiter } = this.#format;
    // Cells of a sheet are in their columns: those beside the table are notes.
    if (workbook) return undefined;
    const filled = row.cells.length > width ? filledWidth(row.cells) : 0;
    if (filled <= width) return undefined;
    const advice = `Put fields that contain a ${delimiterNames[delimiter]} in quotes.`;
    const message = `The row has more fields than the header. ${advice}`;
    const reason = `The row has ${filled} fields, the header ${width}. ${advice}`;
    return rejectRow(row, [{ code: 'SURPLUS_CELLS', field: null, message, reason }]);
  }

  #checkFields(row: SourceRow): FileRow {
    const input = this.#readInput(row.cells);
    const phoneProblem = this.#findPhoneProblem(input);
    const read = validatePerson(input);
    const damage = findNameDamage(read.person ?? input);
    const damages = damage ? [rowProblem('NAME_DAMAGED', damage, input, this.#labels)] : [];
    if (read.person === undefined) {
      const others = read.details.filter(({ path }) => path !== damage?.path);
      return rejectRow(row, [
        ...damages,
        ...rowProblems(others, input, this.#labels),
        ...(phoneProblem ? [phoneProblem] : []),
      ]);
    }
    if (damage) return rejectRow(row, damages);
    const { person } = read;
    const badText = this.#findPasswordProblem(person) ?? this.#findErrorCell(person, input);
    if (badText) return rejectRow(row, [badText]);
    const repetition = this.#repetitions.find(row.line, person, phoneProblem !== undefined);
    if (repetition) return { ...row, code: 'DUPLICATE_IN_FILE', reason: repetition };
    const repeated = this.#mapping.columns.has('course') && { isRepeatedPerson: repetition === '' };
    const warnings = [
      ...(row.isHidden ? [hiddenRow] : []),
      ...(phoneProblem ? [] : this.#warningsOf(row.cells, person)),
    ];
    return {
      ...row,
      person,
      mayQuoteCells: this.#labels.mayQuoteCells,
      ...repeated,
      ...(phoneProblem && { phoneProblem }),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  #findPasswordProblem(person: ImportedPerson): RowProblem | undefined {
    const { password } = person;
    if (password === undefined) return undefined;
    const fault = (code: RowCode, message: string) => rowProblem(code, { path: 'password', message }, {}, this.#labels);
    if (mangledNumber.test(password)) return fault('PASSWORD_INVALID', lostPassword);
    if (spreadsheetError.test(password)) return fault('PASSWORD_INVALID', errorCellMessages.password);
    const problem = this.#check.policy('Password', password, person);
    return problem && fault('PASSWORD_WEAK', problem.message);
  }

  #findErrorCell(
    { course = '', otherCourses = [], reply = '' }: ImportedPerson,
    input: RowInput,
  ): RowProblem | undefined {
    const isCourse = [course, ...otherCourses].some((text) => spreadsheetError.test(text.trim()));
    if (!isCourse && !spreadsheetError.test(reply.trim())) return undefined;
    const path = isCourse ? 'course' : 'reply';
    return rowProblem(importFieldRules[path].invalid, { path, message: errorCellMessages[path] }, input, this.#labels);
  }

  #findPhoneProblem(input: RowInput): RowProblem | undefined {
    const { phone = '' } = input;
    if (phone === '')
      return this.#check.options.missingPhone === 'allow' ? undefined : withFileHeading(missingPhone, this.#labels);
    const found = findPhoneProblem(phone);
    return found && rowProblem(found.code, { path: 'phone', message: found.message }, input, this.#labels);
  }

  /** The fields of a row, with known words for roles and languages replaced by these; other languages have no mails. */
  #readInput(cells: readonly string[]): RowInput {
    const input = readFields(cells, this.#mapping);
    // What can't be seen is no phone.
    if (input.phone !== undefined && isBlank(input.phone)) input.phone = '';
    if (input.language !== undefined) input.language = parseLanguage(input.language) ?? '';
    if (input.role !== undefined) input.role = input.role.trim();
    const role = parseRole(input.role ?? '');
    if (!role || role === input.role) return input;
    if (this.roleWords.size < maxRoleWords) this.roleWords.set(input.role ?? '', role);
    return { ...input, role };
  }

  /** The warnings of a row; in a file with passwords without its values. */
  #warningsOf(cells: readonly string[], person: ImportedPerson): RowWarning[] {
    const warnings = rowWarnings(person, cells, this.#mapping, this.#check.options.course !== undefined);
    return this.#labels.mayQuoteCells ? warnings : warnings.map(({ example: _, ...warning }) => warning);
  }
}
