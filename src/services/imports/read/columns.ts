import type { AppError } from '../../../errors.js';
import { type ImportColumn, type ImportField, importColumns, requiredColumns } from '../../../schemas/import.js';
import { type FirstRows, guessColumns, isHalf, isParentsAddress } from './column-guesses.js';
import { type Decided, decide, numberIn } from './column-maps.js';
import { isLastNameFirst } from './full-names.js';
import { halfNames, isRepeatable, meaningOf } from './header-aliases.js';
import { type Column, filledWidth, headingKey, isAddress, shownHeading } from './headings.js';
import { FileProblem } from './source-file.js';
import { isTick, looksLikeState, stateOf } from './state-words.js';
import type { RowWarning } from './warnings.js';

/** Which cell of a row is which field. */
export interface ColumnMapping {
  /** How many columns the header names: further cells of a row belong to none. */
  width: number;
  /** Whether this is the header of a rejects file, in which cells are protected. */
  isRejects: boolean;
  fields: ReadonlyMap<ImportColumn, number>;
  /** Further cells of the phone and of whether the account is active, read where those before are blank; and of courses. */
  further: ReadonlyMap<ImportColumn, readonly number[]>;
  /** The cell with the full name; absent when first and last name have a cell each. */
  fullName?: number;
  /** Whether its heading says that the last name comes first. */
  lastNameFirst?: boolean;
  /** The cell for inactive accounts; absent when there is one for active accounts. */
  suspended?: number;
  /** Whether the cell for active or inactive accounts is ticked: a blank one is a no. */
  isTicked: boolean;
  /** The columns in the order of the file, without those that a rejects file added. */
  own: readonly Column[];
  /** The columns that an import doesn't use. */
  ignored: readonly string[];
  /** What looks wrong in the choice of columns. */
  warnings: readonly RowWarning[];
}

/** Columns that a rejects file adds; they are dropped when it is imported. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** Index of the first column that a rejects file added; -1 when there is none. Only all of them in order count. */
export const addedColumns = (headings: readonly string[]): number =>
  headings.findLastIndex((_, start) => rejectColumns.every((name, at) => headings[start + at] === name));

/**
 * The header up to its last heading, because spreadsheets pad all lines to the length of the longest; or up to the last
 * column that a mapping names by its number.
 */
export function headingsOf(header: readonly string[], maps: readonly string[]): readonly string[] {
  const numbers = maps.flatMap((map) => numberIn(map) ?? []);
  const mapped = numbers.filter((number) => number <= header.length);
  return header.slice(0, Math.max(filledWidth(header), ...mapped));
}

/**
 * The columns in the order of the file, without those that a rejects file added.
 * @param maps as of {@link mapColumns}
 */
export function ownColumns(header: readonly string[], maps: readonly string[] = []): Column[] {
  const headings = headingsOf(header, maps);
  const added = addedColumns(headings);
  return headings
    .map((heading, index) => ({ heading, index }))
    .filter(({ index }) => added < 0 || index < added || index >= added + rejectColumns.length);
}

const maxShown = 10;

const template = importColumns.join(',');

/** The refusal of a header that lacks required columns, some of which may have other names. */
export class MissingColumns extends FileProblem {
  constructor(
    readonly missing: readonly ImportColumn[],
    message: string,
  ) {
    super('COLUMNS_MISSING', message);
  }
}

/** The refusal of a header in which two columns are the same field. */
export class RepeatedColumn extends FileProblem {
  /** @param repeated the second of them */
  constructor(field: ImportField, repeated: Column) {
    super(
      'COLUMN_REPEATED',
      `The header has the column ${field} twice. Remove one of them, or ignore one: --map "#${repeated.index + 1}=".`,
    );
  }
}

/** A date or a phone: without letters, but with several digits. */
const number = /^(?=(\P{Nd}*\p{Nd}){5})\P{L}+$/u;
const longestNumber = 50;

/** The full name, the email and the phone. */
const fewestColumns = 3;

/** Whether a line without any known heading may be a header all the same, whose columns people can map. */
function mayBeHeader(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length >= fewestColumns && !filled.some((cell) => cell.length <= longestNumber && number.test(cell));
}

/** A column that may be the one of a field; the lower the rank, the likelier. */
interface Candidate extends Column {
  rank: number;
}

/** The candidates for each field, the likeliest first. */
function candidatesOf(own: readonly Column[], decided: Decided): Map<ImportField, Candidate[]> {
  const byHand = new Set(decided.values());
  const candidates = new Map<ImportField, Candidate[]>();
  for (const column of own) {
    const known = meaningOf(column.heading);
    const field = decided.has(column.index) ? decided.get(column.index) : known?.field;
    if (field === undefined || (byHand.has(field) && !decided.has(column.index))) continue;
    // Those that are mapped by hand are used in the order of the mappings.
    const rank = decided.has(column.index) ? [...decided.keys()].indexOf(column.index) : (known?.rank ?? 0);
    candidates.set(field, [...(candidates.get(field) ?? []), { ...column, rank }]);
  }
  for (const list of candidates.values()) list.sort((one, other) => one.rank - other.rank);
  return candidates;
}

/** "Name" beside "Vorname" is the last name, beside "Surname" the first. */
function giveHalfNames(candidates: Map<ImportField, Candidate[]>, decided: Decided): void {
  for (const [half, other] of [
    ['firstName', 'lastName'],
    ['lastName', 'firstName'],
  ] as const) {
    const { heading, beside } = halfNames[half];
    const name = candidates.get('fullName')?.find((column) => headingKey(column.heading) === headingKey(heading));
    const besides = beside.map(headingKey);
    const isHalf = candidates.get(other)?.some((column) => besides.includes(headingKey(column.heading)));
    if (name === undefined || decided.has(name.index) || candidates.has(half) || !isHalf) continue;
    candidates.set(half, [name]);
    candidates.delete('fullName');
  }
}

const valuesOf = (index: number | undefined, rows: FirstRows): string[] =>
  index === undefined ? [] : rows.map((cells) => cells[index] ?? '').filter((cell) => cell.trim() !== '');

/** Takes a column for the state of accounts whose values all say so, in a file where none has a name for that. */
function giveState(
  candidates: Map<ImportField, Candidate[]>,
  own: readonly Column[],
  decided: Decided,
  rows: FirstRows,
): void {
  if (candidates.has('isActive') || candidates.has('suspended')) return;
  const states = own.filter(({ heading, index }) => {
    const values = valuesOf(index, rows);
    const isUnknown = !decided.has(index) && meaningOf(heading) === undefined;
    return isUnknown && looksLikeState(heading, values) && values.every((cell) => stateOf(cell) !== undefined);
  });
  const [only, another] = states;
  if (only !== undefined && another === undefined) candidates.set('isActive', [{ ...only, rank: 0 }]);
}

const named = ({ heading }: Column) => `"${shownHeading(heading)}"`;

/** The learner's address was chosen beside one that may be a parent's, or the other way round. */
function addressWarning(
  chosen: number | undefined,
  candidates: readonly Candidate[],
  own: readonly Column[],
  decided: Decided,
): RowWarning[] {
  const column = own.find(({ index }) => index === chosen);
  if (column === undefined || decided.has(column.index)) return [];
  const ofLearner = (candidates[0]?.rank ?? 0) < 0;
  const rivals = own.filter(
    ({ heading, index }) =>
      index !== chosen &&
      !decided.has(index) &&
      (isParentsAddress(heading) || (ofLearner && candidates.some((one) => one.index === index))),
  );
  const [rival] = rivals;
  if (rival === undefined) return [];
  const message = `The email is read from ${named(column)}, not from ${rivals.map(named).join(', ')}: check that it is the address of the person. For the other: ${mapOption(rival, 'email')}`;
  return [{ code: 'COLUMN_DOUBTFUL', field: 'email', message }];
}

/** Columns that may say who is active, and that aren't imported. */
const stateWarnings = (ignored: readonly Column[], rows: FirstRows): RowWarning[] =>
  ignored
    .filter(({ heading, index }) => looksLikeState(heading, valuesOf(index, rows)))
    .map((column) => ({
      code: 'STATE_NOT_IMPORTED',
      field: 'isActive',
      message: `The column ${named(column)} may say who is active, but isn't imported. To import it: ${mapOption(column, 'isActive')}; to ignore it: ${mapOption(column, '')}`,
    }));

/** Whether a heading may mean the full name or a half of it. */
const isAmbiguous = (heading = '') =>
  Object.values(halfNames).some((half) => headingKey(half.heading) === headingKey(heading));

/**
 * Finds the columns of the fields in a header, in any order and by many names.
 * @param maps `heading=field` for columns with other names; `heading=` for columns to ignore
 * @param rows the first rows, by whose values columns are guessed
 * @param required the columns that must be there
 * @throws AppError before any row: `IMPORT_FILE_INVALID` for missing and repeated columns and a file without a header,
 * `USAGE` for invalid mappings
 */
export function mapColumns(
  header: readonly string[],
  maps: readonly string[] = [],
  rows: FirstRows = [],
  required: readonly ImportColumn[] = requiredColumns({}),
): ColumnMapping {
  const headings = headingsOf(header, maps);
  const own = ownColumns(header, maps);
  const decided = decide(own, maps);
  const candidates = candidatesOf(own, decided);
  giveHalfNames(candidates, decided);
  if (headings.some(isAddress) || (candidates.size === 0 && !mayBeHeader(headings)))
    throw new FileProblem(
      'HEADER_MISSING',
      `The file has no header. Its first line must name the columns: ${template}`,
    );
  giveState(candidates, own, decided, rows);
  const found = new Map<ImportField, number>();
  const further = new Map<ImportColumn, readonly number[]>();
  for (const [field, [first, ...others]] of candidates) {
    if (first === undefined) continue;
    if (first.rank === others[0]?.rank) throw new RepeatedColumn(field, others[0]);
    found.set(field, first.index);
    // Beside the learner's phone, one that isn't said to be the learner's may be a parent's.
    const more = first.rank < 0 ? others.filter(({ rank }) => rank < 0) : others;
    if (isRepeatable(field) && more.length > 0)
      further.set(
        field,
        more.map(({ index }) => index),
      );
  }
  const fullName = found.get('fullName');
  found.delete('fullName');
  const halves = Number(found.has('firstName')) + Number(found.has('lastName'));
  const isWhole =
    fullName !== undefined && (decided.has(fullName) || halves < (isAmbiguous(headings[fullName]) ? 1 : 2));
  if (isWhole) for (const half of ['firstName', 'lastName'] as const) found.delete(half);
  const suspended = found.has('isActive') ? undefined : found.get('suspended');
  found.delete('suspended');
  const used = new Set([...found.values(), ...[...further.values()].flat(), ...(isWhole ? [fullName] : []), suspended]);
  const ignored = own.filter(({ heading, index }) => heading.trim() !== '' && !used.has(index));
  const fields = new Map<ImportColumn, number>();
  for (const column of importColumns) {
    const index = found.get(column);
    if (index !== undefined) fields.set(column, index);
  }
  const missing = required.filter(
    (column) => !fields.has(column) && !(isWhole && (column === 'firstName' || column === 'lastName')),
  );
  const unused = ignored.map(({ heading }) => shownHeading(heading));
  if (missing.length > 0) {
    const unnamed = header
      .map((heading, index) => ({ heading, index }))
      .filter(({ heading, index }) => heading.trim() === '' && !decided.has(index));
    throw missingColumns(missing, { named: ignored, unnamed }, rows);
  }
  const isRejects = addedColumns(headings) >= 0;
  return {
    width: headings.length,
    isRejects,
    fields,
    own,
    ignored: unused,
    further,
    isTicked: valuesOf(found.get('isActive') ?? suspended, rows).some(isTick),
    warnings: [
      ...addressWarning(found.get('email'), candidates.get('email') ?? [], own, decided),
      ...stateWarnings(
        ignored.filter(({ index }) => !decided.has(index)),
        rows,
      ),
    ],
    ...(isWhole && { fullName, lastNameFirst: isLastNameFirst(headings[fullName] ?? '') }),
    ...(suspended !== undefined && { suspended }),
  };
}

function listed(headings: readonly string[]): string {
  const more = headings.length - maxShown;
  return `${headings.slice(0, maxShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Whether a shell and `--map` read a heading between double quotes as it is. */
export const isPlainHeading = (heading: string): boolean => /^[^"$`\\!=#…][^"$`\\!=…]*$/.test(heading);

/** The option that imports a column as a field, for a shell: by the heading, or by the number where that has other signs. */
export const mapOption = ({ heading, index }: Column, field: string): string =>
  `--map "${isPlainHeading(shownHeading(heading)) ? shownHeading(heading) : `#${index + 1}`}=${field}"`;

const noPhone =
  'The file has no phone column: add one, or name the column that has it with --map "HEADING=phone", or import people without phones with --missing-phone allow.';

function missingColumns(
  missing: readonly ImportColumn[],
  { named, unnamed }: Record<'named' | 'unnamed', readonly Column[]>,
  rows: FirstRows,
): AppError {
  const filled = unnamed.filter(({ index }) => rows.some((cells) => (cells[index] ?? '').trim() !== ''));
  const columns = [...named, ...filled];
  const guesses = guessColumns(columns, rows, missing);
  const options = columns.flatMap((column) => {
    const field = guesses.get(column.index);
    return field === undefined ? [] : [mapOption(column, field)];
  });
  const guessed = new Set(guesses.values());
  const left = missing.filter((field) => !guessed.has(field) && !(guessed.has('fullName') && isHalf(field)));
  const unguessed = named.filter(({ index }) => !guesses.has(index));
  const [nameless] = filled.filter(({ index }) => !guesses.has(index));
  return new MissingColumns(
    missing,
    [
      missing.join() === 'phone' && left.length > 0 ? noPhone : `The header lacks ${missing.join(', ')}.`,
      ...(options.length > 0 ? [`Did you mean ${options.join(' ')}?`] : []),
      ...(named.length > 0 ? [`Not understood: ${listed(named.map(({ heading }) => shownHeading(heading)))}.`] : []),
      ...(nameless !== undefined && left.length > 0
        ? [`Column ${nameless.index + 1} has no heading: map it by its number, --map "#${nameless.index + 1}=FIELD".`]
        : []),
      ...(left.length > 0 && missing.join() !== 'phone' && unguessed.length > 0
        ? [`Say which column is ${left.join(', ')}, such as --map "HEADING=${left[0]}".`]
        : []),
      `The columns are: ${template}`,
    ].join(' '),
  );
}
