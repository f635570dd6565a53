import { AppError, isAppError } from '../../../errors.js';
import { type ColumnMapping, mapColumns } from './columns.js';
import type { CsvRow } from './row-reader.js';

/** So many rows are looked at for a header that isn't on top: titles and notes above a table are shorter. */
const manyTitles = 20;

/** Says of a header that was refused where a better one stands, if one does. */
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
      return new AppError('IMPORT_FILE_INVALID', message, { cause: refusal });
    }
  } catch (error) {
    // That the rows can't be read either is the smaller problem.
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
 * {@link mapColumns}, with a hint at the line that may be the header: spreadsheets have titles and merged headings above it.
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
