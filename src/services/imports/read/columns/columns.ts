import {
  type ImportColumn,
  type ImportField,
  type ImportOptions,
  importColumns,
  importFields,
  requiredColumns,
} from '../../../../schemas/import.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import type { SourceTable } from '../../../../tables/table/table.js';
import { shownText } from '../../../../tables/table/text.js';
import { isLastNameFirst } from '../fields/full-names.js';
import { headingMatcherFor, isRepeatable } from '../fields/header-aliases.js';
import { type Column, headingKey, indexOfAddedColumns, isEmailAddress } from '../fields/headings.js';
import { isTick, looksLikeState, mentionsExclusion, saysInactive } from '../fields/state-words.js';
import type { RowWarning } from '../fields/warnings.js';
import {
  type FirstRows,
  filledCellsOf,
  guessColumns,
  isHalf,
  isParentsAddress,
  suggestColumns,
} from './column-guesses.js';
import { fileColumnsOf, type MappedFields, mapOption, resolveMappings, trimHeader } from './column-maps.js';
import { missingColumnsError, RepeatedColumn, withBetterHeaderLine } from './header-refusals.js';

/** Which cell of a row is which field. */
export interface ColumnMapping {
  /** Columns of the header: further cells of a row belong to none. */
  width: number;
  /** Whether this is the header of a rejects file, in which cells are protected. */
  isRejects: boolean;
  /** The cells of each field: of phones and states the first that isn't blank is read, of courses all; others have one. */
  columns: ReadonlyMap<ImportField, readonly number[]>;
  /** Whether the heading of the full name says that the last name comes first. */
  lastNameFirst: boolean;
  /** Whether the cell for active or inactive accounts is ticked: a blank one is a no. */
  isTicked: boolean;
  /** The columns in the order of the file, without those that a rejects file added. */
  fileColumns: readonly Column[];
  /** Columns that say of people that they are dead, or want no mail, and aren't imported. */
  exclusions: readonly Exclusion[];
  /** Fields that ignored columns may be, by their index. */
  suggestions: ReadonlyMap<number, ImportField>;
  /** What looks wrong in the choice of columns. */
  warnings: readonly RowWarning[];
}

/** A column that says of people that they are dead, or want no mail. */
interface Exclusion {
  index: number;
  heading: string;
  /** Whether its cells say so, not its heading. */
  byCell: boolean;
  /** The warning about its rows. */
  message: string;
}

/** The fields of the columns, by their index. */
export const fieldsByIndex = (columns: ColumnMapping['columns']): Map<number, ImportField> =>
  new Map([...columns].flatMap(([field, indexes]) => indexes.map((index): [number, ImportField] => [index, field])));

/** A date or a phone: without letters, but with several digits. */
const numberPattern = /^(?=(\P{Nd}*\p{Nd}){5})\P{L}+$/u;
const longestNumber = 50;

/** The full name, the email and the phone. */
const fewestColumns = 3;

/** Whether a line without any known heading may be a header all the same, whose columns people can map. */
function mayBeHeader(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return (
    filled.length >= fewestColumns && !filled.some((cell) => cell.length <= longestNumber && numberPattern.test(cell))
  );
}

/** A column that may be the one of a field; the lower the rank, the likelier. */
interface Candidate extends Column {
  rank: number;
}

/** The candidates for each field, the likeliest first. */
function findCandidates(own: readonly Column[], decided: MappedFields): Map<ImportField, Candidate[]> {
  const byHand = new Set(decided.values());
  const candidates = new Map<ImportField, Candidate[]>();
  const meaningOf = headingMatcherFor(own.map(({ heading }) => heading));
  for (const column of own) {
    const known = meaningOf(column.heading);
    const field = decided.has(column.index) ? decided.get(column.index) : known?.field;
    if (field === undefined || (byHand.has(field) && !decided.has(column.index))) continue;
    // Columns mapped by hand are used in the order of the mappings.
    const rank = decided.has(column.index) ? [...decided.keys()].indexOf(column.index) : (known?.rank ?? 0);
    candidates.set(field, [...(candidates.get(field) ?? []), { ...column, rank }]);
  }
  for (const [field, list] of candidates) {
    const visible = list.filter(({ hidden }) => !hidden);
    const preferred = byHand.has(field) || visible.length === 0 ? list : visible;
    candidates.set(
      field,
      preferred.sort((one, other) => one.rank - other.rank),
    );
  }
  return candidates;
}

/** Prefers a visible full name to hidden halves of it, and a visible column of suspended accounts to a hidden one of active ones. */
function preferVisible(candidates: Map<ImportField, Candidate[]>, decided: MappedFields): void {
  const isHidden = (field: ImportField) =>
    candidates.get(field)?.every(({ hidden, index }) => hidden && !decided.has(index)) ?? false;
  const isVisible = (field: ImportField) => candidates.has(field) && !isHidden(field);
  const halves = [...candidates.keys()].filter(isHalf);
  if (isVisible('fullName') && halves.every(isHidden)) for (const half of halves) candidates.delete(half);
  if (isVisible('suspended') && isHidden('isActive')) candidates.delete('isActive');
}

/** The keys of headings beside which "Name" is only this half of the name. */
const besideHalf = {
  firstName: ['surname', 'familyname', 'lastname', 'nachname', 'familienname', 'zuname'],
  lastName: ['vorname', 'vornamen', 'rufname'],
} as const;

/** Whether a heading may mean the full name or a half of it. */
const isName = (heading = '') => headingKey(heading) === 'name';

/** "Name" beside "Vorname" is the last name, beside "Surname" the first. */
function assignNameColumns(candidates: Map<ImportField, Candidate[]>, decided: MappedFields): void {
  const name = candidates.get('fullName')?.find(({ heading }) => isName(heading));
  if (name === undefined || decided.has(name.index)) return;
  for (const [half, other] of [
    ['firstName', 'lastName'],
    ['lastName', 'firstName'],
  ] as const) {
    const besides: readonly string[] = besideHalf[half];
    const isHalf = candidates.get(other)?.some(({ heading }) => besides.includes(headingKey(heading)));
    if (candidates.has(half) || !isHalf) continue;
    candidates.set(half, [name]);
    candidates.delete('fullName');
  }
}

const quoteHeading = ({ heading }: Column) => `"${shownText(heading)}"`;

/** The learner's address was chosen beside one that may be a parent's, or the other way round. */
function addressWarning(
  chosen: number | undefined,
  candidates: readonly Candidate[],
  own: readonly Column[],
  decided: MappedFields,
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
  const message = `The email is read from ${quoteHeading(column)}, not from ${rivals.map(quoteHeading).join(', ')}: check that it is the address of the person. For the other: ${mapOption(rival, 'email')}`;
  return [{ code: 'COLUMN_DOUBTFUL', field: 'email', message }];
}

/** Columns that may say who is active, and that aren't imported. */
const stateWarnings = (ignored: readonly Column[], rows: FirstRows): RowWarning[] =>
  ignored
    .filter(({ heading, index }) => !mentionsExclusion(heading) && looksLikeState(heading, filledCellsOf(index, rows)))
    .map((column) => ({
      code: 'STATE_NOT_IMPORTED',
      field: 'isActive',
      message: `The column ${quoteHeading(column)} may say who is active, but isn't imported. To import it: ${mapOption(column, saysInactive(column.heading) ? 'suspended' : 'isActive')}; to ignore it: ${mapOption(column, '')}`,
    }));

/** Longer cells are notes. */
const longestExclusion = 30;

const findExclusions = (ignored: readonly Column[], rows: FirstRows, hasState: boolean): Exclusion[] =>
  ignored
    .map((column) => ({ ...column, byCell: !mentionsExclusion(column.heading) }))
    .filter(({ heading, index, byCell }) => {
      const cells = byCell ? filledCellsOf(index, rows).filter((cell) => cell.length <= longestExclusion) : [];
      return !byCell || (cells.some(mentionsExclusion) && !looksLikeState(heading, cells));
    })
    .map(({ byCell, ...column }) => ({
      index: column.index,
      byCell,
      heading: shownText(column.heading),
      message: `The column ${quoteHeading(column)} isn't imported: these people get accounts like all others. To leave them out, delete their rows; ${hasState ? '' : `to import them as inactive: ${mapOption(column, 'suspended')}; `}to ignore the column: ${mapOption(column, '')}`,
    }));

/** Hidden columns that are imported, though nobody asked for it by name. */
function hiddenWarnings(
  columns: ColumnMapping['columns'],
  own: readonly Column[],
  decided: MappedFields,
  rows: FirstRows,
): RowWarning[] {
  const fields = fieldsByIndex(columns);
  const unused = own.filter(({ index, hidden }) => !hidden && !fields.has(index) && !decided.has(index));
  return own.flatMap((column): RowWarning[] => {
    const field = fields.get(column.index);
    if (!column.hidden || field === undefined || decided.has(column.index)) return [];
    const [likely] = guessColumns(unused, rows, [field]).keys();
    const other = unused.find(({ index }) => index === likely);
    const advice = other
      ? `To import ${quoteHeading(other)} in its place: ${mapOption(other, field)}`
      : `To ignore it: ${mapOption(column, '')}`;
    return [
      {
        code: 'COLUMN_HIDDEN',
        field,
        message: `The column is hidden in the sheet, but is imported. ${advice}`,
        example: shownText(column.heading),
      },
    ];
  });
}

/**
 * Finds the columns of the fields in a header, in any order and by many names.
 * @param maps `heading=field` for columns with other names; `heading=` for columns to ignore
 * @param rows the first rows, by whose values columns are guessed
 * @param required the columns that must be there
 * @param hidden columns that nobody sees, from 0: visible ones are preferred
 * @throws AppError before any row: `IMPORT_FILE_INVALID` for missing and repeated columns and a file without a header,
 * `USAGE` for invalid mappings
 */
export function mapColumns(
  header: readonly string[],
  maps: readonly string[] = [],
  rows: FirstRows = [],
  required: readonly ImportColumn[] = requiredColumns({}),
  hidden: readonly number[] = [],
): ColumnMapping {
  const headings = trimHeader(header, maps);
  const fileColumns = fileColumnsOf(header, maps, hidden);
  const decided = resolveMappings(fileColumns, maps);
  const candidates = findCandidates(fileColumns, decided);
  assignNameColumns(candidates, decided);
  preferVisible(candidates, decided);
  if (headings.some(isEmailAddress) || (candidates.size === 0 && !mayBeHeader(headings)))
    throw new FileProblem(
      'HEADER_MISSING',
      `The file has no header. Its first line must name the columns: ${importColumns.join(',')}`,
    );
  const columns = chooseColumns(candidates, headings, decided);
  const used = new Set([...columns.values()].flat());
  const ignored = fileColumns.filter(({ heading, index }) => heading.trim() !== '' && !used.has(index));
  const missing = required.filter((field) => !columns.has(field) && !(isHalf(field) && columns.has('fullName')));
  if (missing.length > 0) {
    const unnamed = header
      .map((heading, index) => ({ heading, index }))
      .filter(({ heading, index }) => heading.trim() === '' && !decided.has(index));
    throw missingColumnsError(missing, { named: ignored, unnamed }, rows);
  }
  const unasked = ignored.filter(({ index }) => !decided.has(index));
  const [fullName = -1] = columns.get('fullName') ?? [];
  const [state] = columns.get('isActive') ?? columns.get('suspended') ?? [];
  return {
    width: headings.length,
    isRejects: indexOfAddedColumns(headings) >= 0,
    columns,
    lastNameFirst: isLastNameFirst(headings[fullName] ?? ''),
    isTicked: filledCellsOf(state, rows).some(isTick),
    fileColumns,
    exclusions: findExclusions(unasked, rows, state !== undefined),
    // Without rows only the fit of a header is asked for.
    suggestions: rows.length === 0 ? new Map() : suggestColumns(fileColumns, maps, fieldsByIndex(columns), rows),
    warnings: [
      ...hiddenWarnings(columns, fileColumns, decided, rows),
      ...addressWarning(columns.get('email')?.[0], candidates.get('email') ?? [], fileColumns, decided),
      ...stateWarnings(unasked, rows),
    ],
  };
}

/** The columns of each field, in the order of the fields. @throws AppError where two are equally likely */
function chooseColumns(
  candidates: ReadonlyMap<ImportField, readonly Candidate[]>,
  headings: readonly string[],
  decided: MappedFields,
): Map<ImportField, readonly number[]> {
  const columns = new Map<ImportField, readonly number[]>();
  for (const field of importFields) {
    const [first, ...others] = candidates.get(field) ?? [];
    if (first === undefined) continue;
    if (first.rank === others[0]?.rank) throw new RepeatedColumn(field, others[0]);
    // Beside the learner's phone, one without the learner in its heading may be a parent's.
    const more = others.filter(({ rank }) => isRepeatable(field) && (first.rank >= 0 || rank < 0));
    columns.set(
      field,
      [first, ...more].map(({ index }) => index),
    );
  }
  const [fullName] = columns.get('fullName') ?? [];
  if (fullName !== undefined) {
    const halves = [...columns.keys()].filter(isHalf);
    const isWhole = decided.has(fullName) || halves.length < (isName(headings[fullName]) ? 1 : 2);
    for (const field of isWhole ? halves : (['fullName'] as const)) columns.delete(field);
  }
  if (columns.has('isActive')) columns.delete('suspended');
  return columns;
}

/** The options that say what the columns of a file are. */
export type ColumnOptions = Partial<Pick<ImportOptions, 'map' | 'missingPhone'>>;

/**
 * {@link mapColumns}, with a hint at the line that may be the header when titles or merged headings are above it.
 * @throws AppError as that does
 */
export function mapTableColumns(
  { header, first, hiddenColumns }: Pick<SourceTable, 'header' | 'first' | 'hiddenColumns'>,
  { map = [], ...options }: ColumnOptions,
): ColumnMapping {
  const rows = first.map(({ cells }) => cells);
  try {
    return mapColumns(header, map, rows, requiredColumns(options), hiddenColumns);
  } catch (error) {
    throw withBetterHeaderLine(error, header, first, map);
  }
}
