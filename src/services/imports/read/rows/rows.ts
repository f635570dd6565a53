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
import { isList, isSecretColumn } from '../fields/header-aliases.js';
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

/** A row that has no problem as far as the file alone can tell. */
export interface CandidateRow extends SourceRow {
  person: ImportedPerson;
  /** Whether messages may quote cells. False in a file with passwords, because a password may be in a wrong column. */
  mayQuoteCells: boolean;
  /**
   * Problem that rejects the row, unless the matching account already has exactly this phone, as in an export. For a row
   * without a phone, any matching account is enough.
   */
  phoneProblem?: RowProblem;
  /** Whether an earlier line has the same person with other courses; absent if the file has no course column. */
  isRepeatedPerson?: boolean;
  warnings?: readonly RowWarning[];
}

export interface RejectedRow extends SourceRow {
  code: RowCode;
  reason: string;
  /** The separate problems, if the file alone shows them. */
  problems?: readonly RowProblem[];
  /** Whom the row names, if the file is a roster. */
  named?: NamedPerson;
}

/** The person of a rejected row of a roster, as far as the row can be read. */
interface NamedPerson {
  /** Null if the address can't be read. */
  email: string | null;
  hasNames: boolean;
}

/** Rejects a row for one or more problems. */
export function rejectRow({ line, cells }: SourceRow, problems: readonly RowProblem[]): RejectedRow {
  const [first] = problems;
  if (first === undefined) throw new Error(`Line ${line} is rejected without a problem.`);
  return { line, cells, code: first.code, reason: problems.map(({ reason }) => reason).join(' '), problems };
}

/** A row that was checked against the schema and the rows before it. */
export type FileRow = CandidateRow | RejectedRow;

/** Whether the checks of the file alone rejected a row. */
export function isRejected(row: FileRow): row is RejectedRow {
  return 'code' in row;
}

/**
 * Returns the rows of a batch that no earlier run has imported.
 * @param rowsBefore number of rows in the file before the batch
 */
export function remainingRows(batch: readonly FileRow[], rowsBefore: number, rowsDone: number): readonly FileRow[] {
  return batch.slice(Math.max(0, rowsDone - rowsBefore));
}

const maxRoleWords = 100;

/** Returns the person of a row, or the problems that the schema finds. */
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

function fileLabelsOf({ columns, fileColumns }: ColumnMapping): FileLabels {
  const fields = fieldsByIndex(columns);
  const columnOf = (field: ImportField) => fileColumns.find(({ index }) => index === columns.get(field)?.[0]);
  const headings = [...columns.keys()].flatMap((field) => {
    const heading = columnOf(field)?.heading.trim() ?? '';
    // Leaves out headings that equal the field's name, and headings with special characters, which messages never quote.
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

/** Messages about spreadsheet errors in fields that otherwise accept any text. */
const errorCellMessages = {
  password: 'Password is a spreadsheet error. Enter the password.',
  course: 'Course is a spreadsheet error. Enter the course.',
  reply: 'Reply is a spreadsheet error. Enter the reply, or leave the cell blank.',
  group: 'Group is a spreadsheet error. Enter the group, or leave the cell blank.',
};

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

interface CheckOptions {
  options: Partial<Pick<ImportOptions, 'course' | 'missingPhone' | 'roster'>>;
  policy: PasswordPolicy;
}

/** Checks rows one by one, against the schema and the rows before them. */
export class RowChecker {
  readonly #check: CheckOptions;
  readonly #format: SourceFormat;
  readonly #mapping: ColumnMapping;
  readonly #repetitions: RepetitionFinder;
  readonly #labels: FileLabels;
  /** Words of the file that were read as roles, with the roles. */
  readonly roleWords = new Map<string, ImportableRole>();
  /** Cells of the last row with a person. */
  #before: readonly string[] = [];

  constructor(check: CheckOptions, format: SourceFormat, mapping: ColumnMapping, repetitions: RepetitionFinder) {
    this.#check = check;
    this.#format = format;
    this.#mapping = mapping;
    this.#repetitions = repetitions;
    this.#labels = fileLabelsOf(mapping);
  }

  /** @returns the checked row; undefined for a row with only filled-down values */
  check(raw: SourceRow): FileRow | undefined {
    const row = this.#checkRow(raw);
    if (this.#check.options.roster === undefined || row === undefined || !isRejected(row)) return row;
    return { ...row, named: this.#personOf(row) };
  }

  #personOf({ cells }: RejectedRow): NamedPerson {
    const { email = '', firstName = '', lastName = '' } = readFields(cells, this.#mapping);
    const read = importedPersonSchema.extract('email').validate(email);
    // A valid address is a text.
    const address = read.error ? null : ((read.value as string | undefined) ?? null);
    return { email: address, hasNames: !isBlank(firstName) && !isBlank(lastName) };
  }

  #checkRow({ cells, quoteFault, ...others }: SourceRow): FileRow | undefined {
    // Restores the cells of a rejects file to those of the original file.
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
    // A sheet has no surplus cells: cells to the right of the table are notes.
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
    const repeated = [...this.#mapping.columns.keys()].some(isList) && { isRepeatedPerson: repetition === '' };
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
    { course = '', otherCourses = [], reply = '', groups = [] }: ImportedPerson,
    input: RowInput,
  ): RowProblem | undefined {
    const texts = { course: [course, ...otherCourses], reply: [reply], group: groups };
    const path = (['course', 'reply', 'group'] as const).find((field) =>
      texts[field].some((text) => spreadsheetError.test(text.trim())),
    );
    if (path === undefined) return undefined;
    return rowProblem(importFieldRules[path].invalid, { path, message: errorCellMessages[path] }, input, this.#labels);
  }

  #findPhoneProblem(input: RowInput): RowProblem | undefined {
    const { phone = '' } = input;
    if (phone === '')
      return this.#check.options.missingPhone === 'allow' ? undefined : withFileHeading(missingPhone, this.#labels);
    const found = findPhoneProblem(phone);
    return found && rowProblem(found.code, { path: 'phone', message: found.message }, input, this.#labels);
  }

  /** Returns the fields of a row. Replaces known words for roles and languages; a language without mails becomes blank. */
  #readInput(cells: readonly string[]): RowInput {
    const input = readFields(cells, this.#mapping);
    // A phone of invisible characters counts as blank.
    if (input.phone !== undefined && isBlank(input.phone)) input.phone = '';
    if (input.language !== undefined) input.language = parseLanguage(input.language) ?? '';
    if (input.role !== undefined) input.role = input.role.trim();
    const role = parseRole(input.role ?? '');
    if (!role || role === input.role) return input;
    if (this.roleWords.size < maxRoleWords) this.roleWords.set(input.role ?? '', role);
    return { ...input, role };
  }

  /** Returns the warnings of a row; without values in a file with passwords. */
  #warningsOf(cells: readonly string[], person: ImportedPerson): RowWarning[] {
    const warnings = rowWarnings(person, cells, this.#mapping, this.#check.options.course !== undefined);
    return this.#labels.mayQuoteCells ? warnings : warnings.map(({ example: _, ...warning }) => warning);
  }
}
