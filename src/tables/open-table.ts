import type { Delimiter, Encoding } from '../schemas/file-format.js';
import { openCsv } from './csv/csv-source.js';
import { FileProblem, fileBytes } from './encoding/source-file.js';
import type { Inspection } from './inspect.js';
import type { HeaderRules, SourceLimits, SourceTable } from './table/table.js';
import { openSheet } from './workbook/sheet-table.js';

/** Kind and encoding of a file, known from its inspection or an earlier plan. */
export interface TableSource extends Pick<Inspection, 'isWorkbook'> {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/**
 * Opens a file as a stream of rows: memory doesn't grow with the file, except for the shared texts of a workbook.
 * @param signal stops reading a workbook
 * @throws AppError `IMPORT_FILE_INVALID` for a file without a header, an unreadable workbook or an unknown sheet
 * @throws the reason of the signal
 */
export async function openTable(
  file: string,
  { isWorkbook, ...source }: TableSource,
  { sheet }: { sheet?: string },
  limits: SourceLimits,
  rules: HeaderRules,
  signal?: AbortSignal,
): Promise<SourceTable> {
  if (isWorkbook) return openSheet(file, sheet, limits, rules, signal);
  if (sheet !== undefined)
    throw new FileProblem('SHEET_UNKNOWN', 'The file is CSV, which has no sheets. Leave the sheet out.');
  return openCsv(fileBytes(file), source, limits, rules);
}
