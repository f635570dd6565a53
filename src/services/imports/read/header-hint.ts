import { isAppError } from '../../../errors.js';
import { type ColumnMapping, mapColumns } from './columns.js';
import { FileProblem } from './file-problem.js';
import type { CsvRow } from './row-reader.js';

/** How many rows below the first are checked for the header: titles and notes above a table are shorter. */
const manyTitles = 20;

/** The refusal of a header, with the line of a better one, if there is one. */
async function refusedHeader(
  refusal: unknown,
  rows: AsyncGenerator<CsvRow[]>,
  maps: readonly string[] | undefined,
): Promise<unknown> {
  if (!isAppError(refusal, 'IMPORT_FILE_INVALID')) return refusal;
  try {
    const next = await rows.next();
    for (const { line, cells } of next.done ? [] : next.value.slice(0, manyTitles)) {
      if (!isHeader(cells, maps)) continue;
      const message = `${refusal.message.replace(/\.?$/, '.')} Line ${line} looks like the header: delete the lines above it.`;
      return new FileProblem('HEADER_BELOW', message, line, refusal);
    }
  } catch (error) {
    // The refused header matters more than rows that can't be read.
    if (!isAppError(error)) throw error;
  }
  return refusal;
}

function isHeader(cells: readonly string[], maps: readonly string[] | undefined): boolean {
  try {
    mapColumns(cells, maps);
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return false;
  }
}

/**
 * {@link mapColumns}, with a hint at the line that may be the header when titles or merged headings are above it.
 * @throws AppError as that does
 */
export async function mappingOf(
  header: readonly string[],
  rows: AsyncGenerator<CsvRow[]>,
  maps: readonly string[] | undefined,
): Promise<ColumnMapping> {
  try {
    return mapColumns(header, maps);
  } catch (error) {
    throw await refusedHeader(error, rows, maps);
  }
}
