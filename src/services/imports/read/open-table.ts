import type { Delimiter, Encoding } from '../../../schemas/import.js';
import { openCsv } from './csv/csv-source.js';
import { FileProblem, fileBytes } from './encoding/source-file.js';
import type { Inspection } from './inspect.js';
import type { SourceLimits, SourceTable } from './table/table.js';
import { openSheet, type SheetOptions } from './workbook/sheet-table.js';

/** What a file is, as its inspection or an earlier plan tells. */
export interface TableSource extends Pick<Inspection, 'isWorkbook'> {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/**
 * Opens a file as a stream of rows: memory doesn't grow with it, but for the shared texts of a workbook.
 * @param signal ends the reading of a workbook
 * @throws AppError `IMPORT_FILE_INVALID` for a file without a header, a workbook that can't be read, and a sheet that it doesn't have;
 *   the reason of the signal
 */
export async function openTable(
  file: string,
  { isWorkbook, ...source }: TableSource,
  options: SheetOptions,
  limits: SourceLimits,
  signal?: AbortSignal,
): Promise<SourceTable> {
  if (isWorkbook) return openSheet(file, options, limits, signal);
  if (options.sheet !== undefined)
    throw new FileProblem('SHEET_UNKNOWN', 'The file is CSV, which has no sheets. Leave the sheet out.');
  return openCsv(fileBytes(file), source, limits);
}
