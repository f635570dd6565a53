import {
  fieldsReadBy,
  type ImportField,
  type ImportOptions,
  importColumns,
  importFields,
  requiredColumns,
} from '../../../../schemas/import.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import type { SourceTable } from '../../../../tables/table/table.js';
import { shownText } from '../../../../tables/table/text.js';
import { headingMatcherFor, isRepeatable } from '../fields/header-aliases.js';
import { type Column, headingKey, indexOfAddedColumns, isEmailAddress, isLastNameFirst } from '../fields/headings.js';
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

export interface ColumnMapping {
  /** Number of columns of the header: further cells of a row are surplus. */
  width: number;
  /** Whether the file is a rejects file, whose cells are protected. */
  isRejects: boolean;
  /** Column indexes of each field. Of several phones or states, the first filled one counts; of several courses, all. */
  columns: ReadonlyMap<ImportField, readonly number[]>;
  /** Whether the heading of the full name says that the last name comes first. */
  lastNameFirst: boolean;
  /** Whether active accounts are ticked: a blank cell then means no. */
  isTicked: boolean;
  /** Columns in the order of the file, without those that a rejects file added. */
  fileColumns: readonly Column[];
  /** Ignored columns that tell which people have died, or want no mail. */
  exclusions: readonly Exclusion[];
  /** Suggested fields of ignored columns, by their index. */
  suggestions: ReadonlyMap<number, ImportField>;
  warnings: readonly RowWarning[];
}

/** A column that tells which people have died, or want no mail. */
interface Exclusion {
  index: number;
  heading: string;
  /** Whether the cells tell this; otherwise, the heading does. */
  byCell: boolean;
  message: string;
}

export const fieldsByIndex = (columns: ColumnMapping['columns']): Map<number, ImportField> =>
  new Map([...columns].flatMap(([field, indexes]) => indexes.map((index): [number, ImportField] => [index, field])));

/** Matches a date or a phone: at least five digits and no letters. */
const numberPattern = /^(?=(\P{Nd}*\p{Nd}){5})\P{L}+$/u;
const maxNumberLength = 50;

/** Minimum columns of a header: full name, email and phone. */
const minColumns = 3;

/** Whether a line without known headings may be a header, whose columns people can map. */
function mayBeHeader(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return (
    filled.length >= minColumns && !filled.some((cell) => cell.length <= maxNumberLength && numberPattern.test(cell))
  );
}

/** A possible column of a field. The lower the rank, the likelier. */
interface Candidate extends Column {
  rank: number;
}

/** Returns the candidates for each field, the likeliest first. */
function findCandidates(fileColumns: readonly Column[], mapped: MappedFields): Map<ImportField, Candidate[]> {
  const byHand = new Set(mapped.values());
  const candidates = new Map<ImportField, Candidate[]>();
  const meaningOf = headingMatcherFor(fileColumns.map(({ heading }) => heading));
  for (const column of fileColumns) {
    const known = meaningOf(column.heading);
    const field = mapped.has(column.index) ? mapped.get(column.index) : known?.field;
    if (field === undefined || (byHand.has(field) && !mapped.has(column.index))) continue;
    // Mapped columns rank in the order of the mappings.
    const rank = mapped.has(column.index) ? [...mapped.keys()].indexOf(column.index) : (known?.rank ?? 0);
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

/** Prefers visible columns: a full name to hidden halves, and suspended accounts to hidden active ones. */
function preferVisible(candidates: Map<ImportField, Candidate[]>, mapped: MappedFields): void {
  const isHidden = (field: ImportField) =>
    candidates.get(field)?.every(({ hidden, index }) => hidden && !mapped.has(index)) ?? false;
  const isVisible = (field: ImportField) => candidates.has(field) && !isHidden(field);
  const halves = [...candidates.keys()].filter(isHalf);
  if (isVisible('fullName') && halves.every(isHidden)) for (const half of halves) candidates.delete(half);
  if (isVisible('suspended') && isHidden('isActive')) candidates.delete('isActive');
}

/** Normalized headings of one half of the name. If a file has such a heading, "Name" means the other half, which is the key. */
const headingsOfOtherHalf = {
  firstName: ['surname', 'familyname', 'lastname', 'nachname', 'familienname', 'zuname'],
  lastName: ['vorname', 'vornamen', 'rufname'],
} as const;

/** Whether a heading is "Name", which may mean the full name or a half. */
const isName = (heading = '') => headingKey(heading) === 'name';

/** Assigns the column "Name": with a column "Vorname", it is the last name; with "Surname", the first name. */
function assignNameColumns(candidates: Map<ImportField, Candidate[]>, mapped: MappedFields): void {
  const name = candidates.get('fullName')?.find(({ heading }) => isName(heading));
  if (name === undefined || mapped.has(name.index)) return;
  for (const [half, other] of [
    ['firstName', 'lastName'],
    ['lastName', 'firstName'],
  ] as const) {
    const otherHeadings: readonly string[] = headingsOfOtherHalf[half];
    const hasOther = candidates.get(other)?.some(({ heading }) => otherHeadings.includes(headingKey(heading)));
    if (candidates.has(half) || !hasOther) continue;
    candidates.set(half, [name]);
    candidates.delete('fullName');
  }
}

/** Warns about columns that only the super admin may import. */
const notAllowedWarnings = (field: ImportField, columns: readonly Column[]): RowWarning[] =>
  columns.map((column) => ({
    code: 'COLUMN_NOT_ALLOWED',
    field,
    message: 'The column is ignored: only the super admin can import it.',
    example: shownText(column.heading),
  }));

const quoteHeading = ({ heading }: Column) => `"${shownText(heading)}"`;

/** Warns if the email is read from a column that may be a parent's, or if another column may be a parent's address. */
function addressWarning(
  chosen: number | undefined,
  candidates: readonly Candidate[],
  fileColumns: readonly Column[],
  mapped: MappedFields,
): RowWarning[] {
  const column = fileColumns.find(({ index }) => index === chosen);
  if (column === undefined || mapped.has(column.index)) return [];
  const ofLearner = (candidates[0]?.rank ?? 0) < 0;
  const rivals = fileColumns.filter(
    ({ heading, index }) =>
      index !== chosen &&
      !mapped.has(index) &&
      (isParentsAddress(heading) || (ofLearner && candidates.some((one) => one.index === index))),
  );
  const [rival] = rivals;
  if (rival === undefined) return [];
  const message = `The email is read from ${quoteHeading(column)}, not from ${rivals.map(quoteHeading).join(', ')}: check that it is the address of the person. For the other: ${mapOption(rival, 'email')}`;
  return [{ code: 'COLUMN_DOUBTFUL', field: 'email', message }];
}

/** Warns about ignored columns that may tell which accounts are active. */
const stateWarnings = (ignored: readonly Column[], rows: FirstRows): RowWarning[] =>
  ignored
    .filter(({ heading, index }) => !mentionsExclusion(heading) && looksLikeState(heading, filledCellsOf(index, rows)))
    .map((column) => ({
      code: 'STATE_NOT_IMPORTED',
      field: 'isActive',
      message: `The column ${quoteHeading(column)} may say who is active, but isn't imported. To import it: ${mapOption(column, saysInactive(column.heading) ? 'suspended' : 'isActive')}; to ignore it: ${mapOption(column, '')}`,
    }));

/** Maximum length of cells that are examined for exclusions: longer cells are notes. */
const maxExclusionLength = 30;

const findExclusions = (ignored: readonly Column[], rows: FirstRows, hasState: boolean): Exclusion[] =>
  ignored
    .map((column) => ({ ...column, byCell: !mentionsExclusion(column.heading) }))
    .filter(({ heading, index, byCell }) => {
      const cells = byCell ? filledCellsOf(index, rows).filter((cell) => cell.length <= maxExclusionLength) : [];
      return !byCell || (cells.some(mentionsExclusion) && !looksLikeState(heading, cells));
    })
    .map(({ byCell, ...column }) => ({
      index: column.index,
      byCell,
      heading: shownText(column.heading),
      message: `The column ${quoteHeading(column)} isn't imported: these people get accounts like all others. To leave them out, delete their rows; ${hasState ? '' : `to import them as inactive: ${mapOption(column, 'suspended')}; `}to ignore the column: ${mapOption(column, '')}`,
    }));

/** Warns about hidden columns that are imported without a mapping. */
function hiddenWarnings(
  columns: ColumnMapping['columns'],
  fileColumns: readonly Column[],
  mapped: MappedFields,
  rows: FirstRows,
): RowWarning[] {
  const fields = fieldsByIndex(columns);
  const unused = fileColumns.filter(({ index, hidden }) => !hidden && !fields.has(index) && !mapped.has(index));
  return fileColumns.flatMap((column): RowWarning[] => {
    const field = fields.get(column.index);
    if (!column.hidden || field === undefined || mapped.has(column.index)) return [];
    const [likely] = guessColumns(unused, rows, [field]).keys();
    const other = unused.find(({ index }) => index === likely);
    const advice = other
      ? `To import ${quoteHeading(other)} instead: ${mapOption(other, field)}`
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
 * @param rows first rows, by whose values columns are guessed
 * @param options decide which columns must exist, and which fields are read
 * @param hidden hidden columns, from 0: visible columns are preferred
 * @throws AppError `IMPORT_FILE_INVALID` for missing and repeated columns and a file without a header, `USAGE` for invalid
 *   mappings
 */
export function mapColumns(
  header: readonly string[],
  maps: readonly string[] = [],
  rows: FirstRows = [],
  options: Omit<ColumnOptions, 'map'> = {},
  hidden: readonly number[] = [],
): ColumnMapping {
  const headings = trimHeader(header, maps);
  const fileColumns = fileColumnsOf(header, maps, hidden);
  const mapped = resolveMappings(fileColumns, maps);
  const candidates = findCandidates(fileColumns, mapped);
  const allowed = fieldsReadBy(options);
  const notAllowed = [...candidates].filter(([field]) => !allowed.includes(field));
  for (const [field] of notAllowed) candidates.delete(field);
  assignNameColumns(candidates, mapped);
  preferVisible(candidates, mapped);
  if (headings.some(isEmailAddress) || (candidates.size === 0 && !mayBeHeader(headings)))
    throw new FileProblem(
      'HEADER_MISSING',
      `The file has no header. Its first line must name the columns: ${importColumns.join(',')}`,
    );
  const columns = chooseColumns(candidates, headings, mapped);
  const used = new Set([...columns.values()].flat());
  const ignored = fileColumns.filter(({ heading, index }) => heading.trim() !== '' && !used.has(index));
  const missing = requiredColumns(options).filter(
    (field) => !columns.has(field) && !(isHalf(field) && columns.has('fullName')),
  );
  if (missing.length > 0) {
    const unnamed = header
      .map((heading, index) => ({ heading, index }))
      .filter(({ heading, index }) => heading.trim() === '' && !mapped.has(index));
    throw missingColumnsError(missing, { named: ignored, unnamed }, rows);
  }
  const unasked = ignored.filter(({ index }) => !mapped.has(index));
  const [fullName = -1] = columns.get('fullName') ?? [];
  const [state] = columns.get('isActive') ?? columns.get('suspended') ?? [];
  return {
    width: headings.length,
    isRejects: indexOfAddedColumns(headings) >= 0,
    columns,
    lastNameFirst: isLastNameFirst(headings[fullName] ?? ''),
    isTicked: filledCellsOf(state, rows).some(isTick),
    fileColumns,
    exclusions: findExclusions(unasked, rows, state !== undefined || !allowed.includes('suspended')),
    // Without rows, the caller only asks whether the header fits.
    suggestions:
      rows.length === 0 ? new Map() : suggestColumns(fileColumns, maps, fieldsByIndex(columns), rows, allowed),
    warnings: [
      ...hiddenWarnings(columns, fileColumns, mapped, rows),
      ...addressWarning(columns.get('email')?.[0], candidates.get('email') ?? [], fileColumns, mapped),
      ...(allowed.includes('isActive') ? stateWarnings(unasked, rows) : []),
      ...notAllowed.flatMap(([field, list]) => notAllowedWarnings(field, list)),
    ],
  };
}

/**
 * Returns the columns of each field, in the order of the fields.
 * @throws AppError `IMPORT_FILE_INVALID` if two columns are equally likely
 */
function chooseColumns(
  candidates: ReadonlyMap<ImportField, readonly Candidate[]>,
  headings: readonly string[],
  mapped: MappedFields,
): Map<ImportField, readonly number[]> {
  const columns = new Map<ImportField, readonly number[]>();
  for (const field of importFields) {
    const [first, ...others] = candidates.get(field) ?? [];
    if (first === undefined) continue;
    if (first.rank === others[0]?.rank) throw new RepeatedColumn(field, others[0]);
    // If one heading mentions the learner, a heading that doesn't may be a parent's phone.
    const more = others.filter(({ rank }) => isRepeatable(field) && (first.rank >= 0 || rank < 0));
    columns.set(
      field,
      [first, ...more].map(({ index }) => index),
    );
  }
  const [fullName] = columns.get('fullName') ?? [];
  if (fullName !== undefined) {
    const halves = [...columns.keys()].filter(isHalf);
    const isWhole = mapped.has(fullName) || halves.length < (isName(headings[fullName]) ? 1 : 2);
    for (const field of isWhole ? halves : (['fullName'] as const)) columns.delete(field);
  }
  if (columns.has('isActive')) columns.delete('suspended');
  return columns;
}

export type ColumnOptions = Partial<Pick<ImportOptions, 'map' | 'missingPhone' | 'trainerId'>>;

/**
 * Maps the columns of a table as {@link mapColumns} does. If the header is refused, the error names a later line that may be
 * the header.
 * @throws AppError the errors of {@link mapColumns}
 */
export function mapTableColumns(
  { header, first, hiddenColumns }: Pick<SourceTable, 'header' | 'first' | 'hiddenColumns'>,
  { map = [], ...options }: ColumnOptions,
): ColumnMapping {
  const rows = first.map(({ cells }) => cells);
  try {
    return mapColumns(header, map, rows, options, hiddenColumns);
  } catch (error) {
    throw withBetterHeaderLine(error, header, first, map);
  }
}
