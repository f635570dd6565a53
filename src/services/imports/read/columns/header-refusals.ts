import { type AppError, isAppError } from '../../../../errors.js';
import { type ImportColumn, type ImportField, importColumns } from '../../../../schemas/import.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import { maxRowsAboveHeader, type SourceRow } from '../../../../tables/table/table.js';
import { shownText } from '../../../../tables/table/text.js';
import { matchHeading } from '../fields/header-aliases.js';
import { type Column, isEmailAddress } from '../fields/headings.js';
import { type FirstRows, guessColumns, isHalf } from './column-guesses.js';
import { ColumnNotFound, columnNumberIn, fileColumnsOf, mapOption, resolveMappings } from './column-maps.js';

/** Refusal of a header that lacks required columns. Some of them may exist under other names. */
export class MissingColumns extends FileProblem {
  constructor(
    readonly missing: readonly ImportColumn[],
    message: string,
  ) {
    super('COLUMNS_MISSING', message);
  }
}

export class RepeatedColumn extends FileProblem {
  /** @param repeated the second column */
  constructor(
    readonly field: ImportField,
    readonly repeated: Column,
  ) {
    super(
      'COLUMN_REPEATED',
      `The header has the column ${field} twice. Remove one of them, or ignore one: --map "#${repeated.index + 1}=".`,
    );
  }
}

const maxShown = 10;

function listHeadings(headings: readonly string[]): string {
  const more = headings.length - maxShown;
  return `${headings.slice(0, maxShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const noPhoneMessage =
  'The file has no phone column: add one, or name the column that has it with --map "HEADING=phone", or import people without phones with --missing-phone allow.';

/** Returns the refusal of a header that lacks columns. Suggests mappings of unknown columns. */
export function missingColumnsError(
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
      missing.join() === 'phone' && left.length > 0 ? noPhoneMessage : `The header lacks ${missing.join(', ')}.`,
      ...(options.length > 0 ? [`Did you mean ${options.join(' ')}?`] : []),
      ...(named.length > 0 ? [`Not understood: ${listHeadings(named.map(({ heading }) => shownText(heading)))}.`] : []),
      ...(nameless !== undefined && left.length > 0
        ? [`Column ${nameless.index + 1} has no heading: map it by its number, --map "#${nameless.index + 1}=FIELD".`]
        : []),
      ...(left.length > 0 && missing.join() !== 'phone' && unguessed.length > 0
        ? [`Say which column is ${left.join(', ')}, such as --map "HEADING=${left[0]}".`]
        : []),
      `The columns are: ${importColumns.join(',')}`,
    ].join(' '),
  );
}

/** Counts the different fields that the headings of a line usually mean. */
export const countKnownFields = (cells: readonly string[]): number =>
  new Set(cells.flatMap((cell) => matchHeading(cell)?.field ?? [])).size;

/** Whether a mapping names one of these headings. Mappings by column number are ignored, because they fit any row. */
export function areMappedHeadings(cells: readonly string[], maps: readonly string[]): boolean {
  const named = maps.filter((map) => columnNumberIn(map) === undefined);
  try {
    return resolveMappings(fileColumnsOf(cells), named).size > 0;
  } catch (error) {
    if (!isAppError(error, 'USAGE')) throw error;
    return false;
  }
}

/** Adds the line of a better header to a refusal, if one of the first rows is better. @returns the refusal to throw */
export function withBetterHeaderLine(
  refusal: unknown,
  header: readonly string[],
  rows: readonly SourceRow[],
  maps: readonly string[],
): unknown {
  const hasWrongMap = refusal instanceof ColumnNotFound;
  if (!hasWrongMap && !isAppError(refusal, 'IMPORT_FILE_INVALID')) return refusal;
  const known = Math.max(1, countKnownFields(header));
  const better = rows
    .slice(0, maxRowsAboveHeader)
    .find(
      ({ cells }) =>
        !cells.some(isEmailAddress) &&
        (countKnownFields(cells) > known || (hasWrongMap && areMappedHeadings(cells, maps))),
    );
  if (better === undefined) return refusal;
  const sentence = refusal.message.replace(/[^.?]$/, '$&.');
  const message = `${sentence} Line ${better.line} looks like the header: delete the lines above it.`;
  return new FileProblem('HEADER_BELOW', message, better.line, refusal);
}
