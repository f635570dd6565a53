import { isAppError } from '../../../errors.js';
import { type ImportOptions, requiredColumns } from '../../../schemas/import.js';
import { ColumnNotFound, decide, numberIn } from './column-maps.js';
import { type ColumnMapping, isAddress, mapColumns, ownColumns } from './columns.js';
import { FileProblem } from './file-problem.js';
import { knownByKey } from './header-aliases.js';
import { headingKey } from './headings.js';
import type { CsvRow } from './row-reader.js';

/** How many rows below the first are checked for the header: titles and notes above a table are shorter. */
const manyTitles = 20;

/** How many fields the headings of a line usually mean. */
const knownFields = (cells: readonly string[]): number =>
  new Set(cells.flatMap((cell) => knownByKey.get(headingKey(cell))?.field ?? [])).size;

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
async function refusedHeader(
  refusal: unknown,
  header: readonly string[],
  rows: AsyncGenerator<CsvRow[]>,
  { map: maps = [], ...options }: HeaderOptions,
): Promise<unknown> {
  const hasWrongMap = refusal instanceof ColumnNotFound;
  if (!hasWrongMap && !isAppError(refusal, 'IMPORT_FILE_INVALID')) return refusal;
  const known = Math.max(1, knownFields(header));
  const isHeader = (cells: readonly string[]) =>
    !cells.some(isAddress) &&
    (knownFields(cells) > known ||
      (hasWrongMap && areMapped(cells, maps)) ||
      isUsable(() => mapColumns(cells, maps, requiredColumns(options))));
  try {
    const next = await rows.next();
    for (const { line, cells } of next.done ? [] : next.value.slice(0, manyTitles)) {
      if (!isHeader(cells)) continue;
      const told = refusal.message.replace(/[^.?]$/, '$&.');
      return new FileProblem(
        'HEADER_BELOW',
        `${told} Line ${line} looks like the header: delete the lines above it.`,
        line,
        refusal,
      );
    }
  } catch (error) {
    // The refused header matters more than rows that can't be read.
    if (!isAppError(error)) throw error;
  }
  return refusal;
}

/**
 * {@link mapColumns}, with a hint at the line that may be the header when titles or merged headings are above it.
 * @throws AppError as that does
 */
export async function mappingOf(
  header: readonly string[],
  rows: AsyncGenerator<CsvRow[]>,
  options: HeaderOptions,
): Promise<ColumnMapping> {
  try {
    return mapColumns(header, options.map, requiredColumns(options));
  } catch (error) {
    throw await refusedHeader(error, header, rows, options);
  }
}
