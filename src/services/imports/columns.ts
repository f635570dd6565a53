import { AppError } from '../../errors.js';
import { type ImportColumn, importColumns, requiredImportColumns } from '../../schemas/import.js';

/** Which cell of a row is which field. */
export interface ColumnMapping {
  /** The header as the file has it, without the columns that a rejects file added. */
  header: readonly string[];
  fields: ReadonlyMap<ImportColumn, number>;
  /** Columns that mean nothing to an import. */
  ignored: readonly string[];
}

/** Columns that our own rejects file adds; they are dropped when it comes back. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** Case, spaces and punctuation of a heading don't matter. */
const headingKey = (heading: string) =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const template = importColumns.join(',');

/**
 * Finds the fields in a header, in any order and case.
 * @throws AppError `IMPORT_FILE_INVALID`, before any row, for missing and doubled columns and a file without a header
 */
export function mapColumns(cells: readonly string[]): ColumnMapping {
  const fields = new Map<ImportColumn, number>();
  const ignored: string[] = [];
  const keys = cells.map(headingKey);
  keys.forEach((key, index) => {
    const column = importColumns.find((name) => headingKey(name) === key);
    if (column === undefined) {
      const heading = cells[index]?.trim();
      if (heading && !rejectColumns.some((name) => name === key)) ignored.push(heading);
      return;
    }
    if (fields.has(column))
      throw new AppError('IMPORT_FILE_INVALID', `The header has the column ${column} twice. Remove one of them.`);
    fields.set(column, index);
  });
  if (fields.size === 0)
    throw new AppError(
      'IMPORT_FILE_INVALID',
      `The file has no header. Its first line must name the columns: ${template}`,
    );
  const missing = requiredImportColumns.filter((column) => !fields.has(column));
  if (missing.length > 0) {
    const found = ignored.length > 0 ? ` Not understood: ${ignored.join(', ')}.` : '';
    throw new AppError(
      'IMPORT_FILE_INVALID',
      `The header lacks ${missing.join(', ')}.${found} The columns are: ${template}`,
    );
  }
  return { header: cells, fields, ignored };
}
