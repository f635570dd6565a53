import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CsvFormat } from '../../../csv/format.js';
import { type FieldProblem, isAppError } from '../../../errors.js';
import type { ImportableRole, ImportField, ImportOptions } from '../../../schemas/import.js';
import { type ImportedPerson, importedPersonSchema, quickPerson } from '../../../schemas/imported-person.js';
import { type PhoneKeys, plainPhoneKeys } from '../../../schemas/phone-keys.js';
import { validate } from '../../../schemas/validate.js';
import type { PasswordPolicy } from '../../auth/password-policy.js';
import { type ColumnMapping, isPlainHeading, mapOption } from './columns.js';
import { type CsvOptions, openCsv, readAhead } from './csv-source.js';
import { nameDamage, spreadsheetError } from './damaged-names.js';
import { delimiterNames } from './delimiters.js';
import { hasSecretColumn } from './header-aliases.js';
import { mappingOf } from './header-hint.js';
import { filledWidth, headingKey, shownHeading } from './headings.js';
import { KeyIndex } from './key-index.js';
import { mangledNumber, missingPhone, phoneDoubt, phoneWarnings } from './phone-warnings.js';
import { roleOf } from './role-words.js';
import type { RowCode } from './row-codes.js';
import { fieldsOf, restoredCells, stateCell } from './row-fields.js';
import { inWordsOfFile, isBlank, type RowProblem, rowProblem, rowProblems } from './row-problems.js';
import type { CsvLimits, CsvRow } from './row-reader.js';
import { rowWarnings } from './row-warnings.js';
import type { RowWarning } from './warnings.js';

/** A row that the file alone gives no reason to reject. */
export interface CandidateRow extends CsvRow {
  person: ImportedPerson;
  /** False in a file with passwords: cells that have moved to other columns may be some. */
  quotes: boolean;
  /**
   * Why the row is rejected unless its account already has exactly this phone, as in an export; of a row without a phone,
   * unless there is an account.
   */
  doubt?: RowProblem;
  /** Whether an earlier line has the same person with other courses; absent in a file without a column of courses. */
  again?: boolean;
  /** What looks wrong, though the row can be imported. */
  warnings?: readonly RowWarning[];
}

/** A row that is rejected, and why. */
export interface RejectedRow extends CsvRow {
  /** Of its first problem. */
  code: RowCode;
  /** All problems of the row. */
  reason: string;
  /** The problems one by one, where the file alone shows them. */
  problems?: readonly RowProblem[];
}

/** A row that is rejected for these problems, of which there is at least one. */
export function rejectedFor({ line, cells }: CsvRow, problems: readonly RowProblem[]): RejectedRow {
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

/** So many given passwords end a batch early: they take long to hash, and a crash loses the work of a batch. */
const batchPasswords = 64;
/** The first batch is small, and each has at most twice as much as the one before: soon there is progress to be seen. */
const firstBatch = { rows: 100, passwords: 8 };

/** An open file with a valid header. */
export interface ImportFile {
  format: CsvFormat;
  header: readonly string[];
  mapping: ColumnMapping;
  /** All rows in order, checked against the schema and each other, in batches. */
  batches: AsyncGenerator<FileRow[]>;
  /** The words of the rows so far that were read as roles, besides the roles' own names. */
  roleWords: ReadonlyMap<string, ImportableRole>;
  /** What looks wrong in the file besides its rows. */
  warnings: readonly RowWarning[];
  /** How many lines the file has, once all rows are read. */
  lines(): number;
  /** What is known of repeated keys, once all rows are read. */
  repetitions(): Repetitions | undefined;
  /** Closes the file, even when not all rows were read. */
  close(): Promise<void>;
}

/** Columns of single words, of which surrounding spaces are trimmed. */
const wordColumns = ['role', 'isActive', 'enrollmentStatus'] as const;

/** How many words for roles are remembered. */
const manyRoleWords = 100;

/** Why rows repeat an email or a phone of an earlier row, by their line; blank for the same person with other courses. */
export type Repetitions = ReadonlyMap<number, string>;

/** With so many repetitions, none are remembered. */
const manyRepetitions = 20_000;

/** The person of a row, or what the schema finds wrong with it. */
function personOf(
  input: ReturnType<typeof fieldsOf>,
): { person: ImportedPerson } | { person?: never; details: readonly FieldProblem[] } {
  try {
    return { person: quickPerson(input) ?? validate(importedPersonSchema, input) };
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    return { details: error.details };
  }
}

const lostPassword =
  'Password was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter the password again.';

const erroneousPassword = 'Password is what a spreadsheet writes for an error. Enter the password.';

/** What the file calls the columns of fields, where that isn't the field's own name or something that isn't repeated. */
function headingsByField({ fields, fullName, own }: ColumnMapping): Partial<Record<ImportField, string>> {
  const columns = { ...Object.fromEntries(fields), fullName };
  const named = Object.entries(columns).flatMap(([field, index]) => {
    const heading = own.find((column) => column.index === index)?.heading.trim() ?? '';
    return isPlainHeading(heading) && headingKey(heading) !== headingKey(field) ? [[field, heading]] : [];
  });
  return Object.fromEntries(named);
}

/** Checks rows one by one, against the schema and against those before them. */
class RowChecker {
  readonly #emails = new KeyIndex();
  readonly #phones = new KeyIndex();
  /** People, and people with their courses: only of a file that has a column of courses. */
  readonly #people: KeyIndex | undefined;
  readonly #phoneKeys: PhoneKeys;
  readonly #format: CsvFormat;
  readonly #mapping: ColumnMapping;
  readonly #known: Repetitions | undefined;
  readonly #found = new Map<number, string>();

  readonly #policy: PasswordPolicy;
  /** The course in which all rows are enrolled. */
  readonly #course: string | undefined;
  readonly #missingPhone: ImportOptions['missingPhone'] | undefined;
  /** Whether values may be quoted. */
  readonly #quotes: boolean;
  readonly #headings: ReturnType<typeof headingsByField>;
  /** The words that stood for roles. */
  readonly roleWords = new Map<string, ImportableRole>();

  readonly #state: { heading: string; ignore: string } | undefined;

  constructor(
    { options, policy, phones = plainPhoneKeys }: Reading,
    format: CsvFormat,
    mapping: ColumnMapping,
    known: Repetitions | undefined,
  ) {
    this.#format = format;
    this.#mapping = mapping;
    this.#policy = policy;
    this.#phoneKeys = phones;
    this.#course = options.course;
    this.#missingPhone = options.missingPhone;
    this.#quotes = !hasSecretColumn(mapping);
    const state = mapping.own.find(({ index }) => index === (mapping.suspended ?? mapping.fields.get('isActive')));
    this.#state = state && { heading: shownHeading(state.heading), ignore: mapOption(state, '') };
    this.#headings = headingsByField(mapping);
    this.#known = known;
    this.#people = mapping.fields.has('course') ? new KeyIndex() : undefined;
  }

  /** The rows that repeated keys of others; undefined when there were too many. */
  get repetitions(): Repetitions | undefined {
    return this.#known ?? (this.#found.size < manyRepetitions ? this.#found : undefined);
  }

  check({ line, cells, quoteFault }: CsvRow): FileRow {
    const { width } = this.#mapping;
    const row = { line, cells: restoredCells(cells, this.#mapping) };
    if (quoteFault !== undefined) {
      const message = `The row ${quoteFault}.`;
      return rejectedFor(row, [{ code: 'QUOTES_INVALID', field: null, message, reason: message }]);
    }
    const filled = cells.length > width ? filledWidth(cells) : 0;
    if (filled > width) {
      const delimiter = delimiterNames[this.#format.delimiter];
      const reason = `The row has ${filled} fields, the header ${width}. Put fields that contain a ${delimiter} in quotes.`;
      const message = `The row has more fields than the header. Put fields that contain a ${delimiter} in quotes.`;
      return rejectedFor(row, [{ code: 'SURPLUS_CELLS', field: null, message, reason }]);
    }
    const input = this.#inputOf(row.cells);
    const told = { input, quotes: this.#quotes, headings: this.#headings, ...(this.#state && { state: this.#state }) };
    const doubt = this.#phoneDoubt(input.phone ?? '', told);
    const read = personOf(input);
    const damage = nameDamage(read.person ?? input);
    const damages = damage ? [rowProblem('NAME_DAMAGED', damage, told)] : [];
    if (read.person === undefined) {
      const others = read.details.filter(({ path }) => path !== damage?.path);
      return rejectedFor(row, [...damages, ...rowProblems(others, told), ...(doubt ? [doubt] : [])]);
    }
    if (damage) return rejectedFor(row, damages);
    const { person } = read;
    const bad = this.#passwordFault(person);
    if (bad) return rejectedFor(row, [rowProblem(bad.code, { path: 'password', message: bad.message }, told)]);
    const repetition = this.#repetition(row.line, person, doubt !== undefined);
    if (repetition) return { line: row.line, cells: row.cells, code: 'DUPLICATE_IN_FILE', reason: repetition };
    const again = this.#people && { again: repetition === '' };
    if (doubt) return { ...row, person, quotes: this.#quotes, ...again, doubt };
    const warnings = this.#warningsOf(row.cells, person);
    return {
      line: row.line,
      cells: row.cells,
      person,
      quotes: this.#quotes,
      ...again,
      ...(warnings.length > 0 && { warnings }),
    };
  }

  #passwordFault(person: ImportedPerson): { code: RowCode; message: string } | undefined {
    const { password = '' } = person;
    if (mangledNumber.test(password)) return { code: 'PASSWORD_INVALID', message: lostPassword };
    if (spreadsheetError.test(password)) return { code: 'PASSWORD_INVALID', message: erroneousPassword };
    const message = password && this.#policy('Password', password, person);
    return message ? { code: 'PASSWORD_WEAK', message } : undefined;
  }

  #phoneDoubt(phone: string, told: Parameters<typeof rowProblem>[2]): RowProblem | undefined {
    if (phone === '') return this.#missingPhone === 'allow' ? undefined : inWordsOfFile(missingPhone, this.#headings);
    const found = phoneDoubt(phone);
    return found && rowProblem(found.code, { path: 'phone', message: found.message }, told);
  }

  /** The fields of a row, with known words for roles replaced by the roles. */
  #inputOf(cells: readonly string[]): ReturnType<typeof fieldsOf> {
    const input = fieldsOf(cells, this.#mapping);
    // What can't be seen is no phone.
    if (input.phone !== undefined && isBlank(input.phone)) input.phone = '';
    for (const word of wordColumns) if (input[word] !== undefined) input[word] = input[word].trim();
    if (!input.role || input.role === 'trainee' || input.role === 'trainer') return input;
    const role = roleOf(input.role);
    if (!role) return input;
    if (this.roleWords.size < manyRoleWords) this.roleWords.set(input.role, role);
    return { ...input, role };
  }

  /** The warnings of a row; in a file with passwords without its values. */
  #warningsOf(cells: readonly string[], person: ImportedPerson): RowWarning[] {
    const column = this.#mapping.fullName;
    const fullName = column === undefined ? undefined : (cells[column] ?? '');
    const { isTicked, lastNameFirst } = this.#mapping;
    const state = stateCell(cells, this.#mapping);
    const warnings = [
      ...rowWarnings(person, { course: this.#course, fullName, lastNameFirst, isTicked, state }),
      ...phoneWarnings(person.phone ?? ''),
    ];
    return this.#quotes ? warnings : warnings.map(({ example: _, ...warning }) => warning);
  }

  /** Why a row is a repetition; blank for the same person with other courses. */
  #repetition(line: number, person: ImportedPerson, isDoubtful: boolean): string | undefined {
    if (this.#known) return this.#known.get(line);
    const isAgain = this.#isSamePerson(line, person);
    // The keys of a doubtful row aren't recorded: if it is rejected later, the next row with the same email is no duplicate.
    const reason = isAgain ? '' : isDoubtful ? undefined : this.#findRepetition(line, person);
    if (reason !== undefined && this.#found.size < manyRepetitions) this.#found.set(line, reason);
    return reason;
  }

  /** Whether an earlier line has the same person, whose phone it may leave out, and none has the person with these courses. */
  #isSamePerson(line: number, person: ImportedPerson): boolean {
    if (!this.#people) return false;
    const { email, phone, firstName, lastName, role, isActive, password, passwordHash, course, otherCourses } = person;
    const who = JSON.stringify([email, firstName, lastName, role, isActive, password, passwordHash]);
    const firstLine = this.#people.firstLine(who, line);
    const sameEmail = this.#emails.lineOf(email);
    const samePhone = phone === undefined ? sameEmail : this.#phones.lineOf(this.#phoneKeys.keyOf(phone));
    const isContradiction = sameEmail !== undefined && (firstLine !== sameEmail || samePhone !== sameEmail);
    if (isContradiction) return false;
    const sameCourses = this.#people.firstLine(JSON.stringify([who, course, otherCourses]), line);
    if (firstLine === undefined || sameCourses !== undefined || course === undefined) return false;
    // The lines before may be doubtful: about accounts without a phone.
    return sameEmail !== undefined || phone === undefined;
  }

  #findRepetition(line: number, person: ImportedPerson): string | undefined {
    const sameEmail = this.#emails.firstLine(person.email, line);
    const phone = person.phone === undefined ? undefined : this.#phoneKeys.keyOf(person.phone);
    const samePhone = phone === undefined ? undefined : this.#phones.firstLine(phone, line);
    if (sameEmail === undefined && samePhone === undefined) return undefined;
    const earlier = [
      sameEmail && `Email is already on line ${sameEmail}.`,
      samePhone && `Phone is already on line ${samePhone}.`,
    ];
    return earlier.filter(Boolean).join(' ');
  }
}

/** After so many rows the event loop runs: rows are checked while others are written, and the database must not wait. */
const sliceRows = 32;

async function* inBatches(
  rows: AsyncGenerator<CsvRow[]>,
  checker: RowChecker,
  batchRows: number,
): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = [];
  let most = firstBatch;
  let passwords = 0;
  let checked = 0;
  for await (const some of rows)
    for (const raw of some) {
      checked += 1;
      if (checked % sliceRows === 0) await nextTurn();
      const row = checker.check(raw);
      batch.push(row);
      if (!isRejected(row) && row.person.password !== undefined) passwords += 1;
      if (batch.length < Math.min(most.rows, batchRows) && passwords < Math.min(most.passwords, batchPasswords))
        continue;
      yield batch;
      batch = [];
      most = { rows: 2 * most.rows, passwords: 2 * most.passwords };
      passwords = 0;
    }
  if (batch.length > 0) yield batch;
}

/** How to read a file. */
export interface Reading {
  options: Pick<ImportOptions, 'map' | 'course'> & Partial<Pick<ImportOptions, 'missingPhone'>>;
  format: CsvOptions;
  /** Which passwords are accepted. */
  policy: PasswordPolicy;
  /** By which phones are the same; without a country when absent. */
  phones?: PhoneKeys;
}

/**
 * Opens a file of people.
 * @param repetitions the repetitions that an earlier reading of the same file found
 * @throws AppError `IMPORT_FILE_INVALID` for a header that can't be used, `USAGE` for mappings that don't fit it; the
 * batches throw `IMPORT_FILE_INVALID` for faults in the rows
 */
export async function openImportFile(
  bytes: AsyncIterable<Buffer>,
  reading: Reading,
  { batchRows, ...limits }: CsvLimits & { batchRows: number },
  repetitions?: Repetitions,
): Promise<ImportFile> {
  const { header, format, rows: all, warnings, lines, close } = await openCsv(bytes, reading.format, limits);
  try {
    const { first, rows } = await readAhead(all);
    const mapping = mappingOf(header, first, reading.options);
    const checker = new RowChecker(reading, format, mapping, repetitions);
    const batches = inBatches(rows, checker, batchRows);
    const { roleWords } = checker;
    return {
      format,
      header,
      mapping,
      batches,
      roleWords,
      warnings: [...warnings, ...mapping.warnings],
      lines,
      repetitions: () => checker.repetitions,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
