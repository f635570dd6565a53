import { AppError } from '../../errors.js';
import { type ImportColumn, importColumns, requiredImportColumns } from '../../schemas/import.js';

interface Column {
  heading: string;
  /** Which cell of a row it is, from 0. */
  index: number;
}

/** Which cell of a row is which field. */
export interface ColumnMapping {
  /** How many columns the header has. */
  width: number;
  fields: ReadonlyMap<ImportColumn, number>;
  /** The columns as they stand, without those that a rejects file added. */
  own: readonly Column[];
  /** Columns that mean nothing to an import. */
  ignored: readonly string[];
}

/** Columns that our own rejects file adds; they are dropped when it comes back. */
export const rejectColumns = ['line', 'code', 'reason'] as const;

/** The columns without those of a rejects file, which stand together: one that is called so by itself is the file's own. */
function ownColumns(headings: readonly string[]): Column[] {
  const added = headings.findLastIndex((_, start) => rejectColumns.every((name, at) => headings[start + at] === name));
  return headings
    .map((heading, index) => ({ heading, index }))
    .filter(({ index }) => added < 0 || index < added || index >= added + rejectColumns.length);
}

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
export function mapColumns(headings: readonly string[]): ColumnMapping {
  const own = ownColumns(headings);
  const fields = new Map<ImportColumn, number>();
  const ignored: string[] = [];
  for (const { heading, index } of own) {
    const column = importColumns.find((name) => headingKey(name) === headingKey(heading));
    if (column === undefined) {
      if (heading.trim()) ignored.push(heading.trim());
      continue;
    }
    if (fields.has(column))
      throw new AppError('IMPORT_FILE_INVALID', `The header has the column ${column} twice. Remove one of them.`);
    fields.set(column, index);
  }
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
  return { width: headings.length, fields, own, ignored };
}
