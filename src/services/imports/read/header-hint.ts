import { isAppError } from '../../../errors.js';
import { type ImportOptions, requiredColumns } from '../../../schemas/import.js';
import { ColumnNotFound, decide, numberIn } from './column-maps.js';
import { type ColumnMapping, mapColumns, ownColumns } from './columns.js';
import { meaningOf } from './header-aliases.js';
import { isAddress } from './headings.js';
import type { CsvRow } from './row-reader.js';
import { FileProblem } from './source-file.js';

/** How many rows below the first are checked for the header: titles and notes above a table are shorter. */
const manyTitles = 20;

/** How many fields the headings of a line usually mean. */
const knownFields = (cells: readonly string[]): number =>
  new Set(cells.flatMap((cell) => meaningOf(cell)?.field ?? [])).size;

/** Whether the mappings are for columns with these headings. Numbers of columns tell no header from a row. */
function areMapped(cells: readonly string[], maps: readonly string[]): boolean {
  const named = maps.filter((map) => numberIn(map) === undefined);
  return named.length > 0 && isUsable(() => decide(ownColumns(cells), named));
}

function isUsable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return false;
  }
}

/** The options that say how a header is understood. */
type HeaderOptions = Partial<Pick<ImportOptions, 'map' | 'missingPhone'>>;

/** The refusal of a header, with the line of a better one, if there is one. */
function refusedHeader(
  refusal: unknown,
  header: readonly string[],
  rows: readonly CsvRow[],
  { map: maps = [], ...options }: HeaderOptions,
): unknown {
  const hasWrongMap = refusal instanceof ColumnNotFound;
  if (!hasWrongMap && !isAppError(refusal, 'IMPORT_FILE_INVALID')) return refusal;
  const known = Math.max(1, knownFields(header));
  const isHeader = (cells: readonly string[]) =>
    !cells.some(isAddress) &&
    (knownFields(cells) > known ||
      (hasWrongMap && areMapped(cells, maps)) ||
      isUsable(() => mapColumns(cells, maps, [], requiredColumns(options))));
  for (const { line, cells } of rows.slice(0, manyTitles)) {
    if (!isHeader(cells)) continue;
    const told = refusal.message.replace(/[^.?]$/, '$&.');
    return new FileProblem(
      'HEADER_BELOW',
      `${told} Line ${line} looks like the header: delete the lines above it.`,
      line,
      refusal,
    );
  }
  return refusal;
}

/**
 * {@link mapColumns}, with a hint at the line that may be the header when titles or merged headings are above it.
 * @param first the first rows
 * @throws AppError as that does
 */
export function mappingOf(header: readonly string[], first: readonly CsvRow[], options: HeaderOptions): ColumnMapping {
  const rows = first.map(({ cells }) => cells);
  try {
    return mapColumns(header, options.map, rows, requiredColumns(options));
  } catch (error) {
    throw refusedHeader(error, header, first, options);
  }
}
