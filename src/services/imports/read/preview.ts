import type { FileColumn } from '../../../db/models/import-plan.js';
import { isAppError } from '../../../errors.js';
import { hasAtSign } from '../../../schemas/fields.js';
import { fieldsReadBy, type ImportField } from '../../../schemas/import.js';
import type { SourceFormat, SourceTable } from '../../../tables/table/table.js';
import { filledWidth } from '../../../tables/table/text.js';
import { restoreProtected } from '../../../tables/write/cells.js';
import { type FirstRows, suggestColumns } from './columns/column-guesses.js';
import { fileColumnsOf, resolveValidMappings, trimHeader } from './columns/column-maps.js';
import { type ColumnMapping, type ColumnOptions, fieldsByIndex, mapColumns } from './columns/columns.js';
import { headingMatcherFor, isSecretCell, isSecretColumn } from './fields/header-aliases.js';
import { indexOfAddedColumns } from './fields/headings.js';

/** Header and first rows of a file, even if the file can't be imported as it is. */
export interface FilePreview {
  format: SourceFormat;
  headerLine: number;
  columns: FileColumn[];
  /** Number of columns: further cells of a row are surplus. */
  width: number;
}

const samplesPerColumn = 5;
/** Maximum length of shown headings and cells. */
export const maxSampleLength = 100;

const masked = '••••••';

/** Shortens a text to 100 characters. */
export function shortenText(text: string): string {
  if (text.length <= maxSampleLength) return text.toWellFormed();
  // A character has up to two UTF-16 units.
  return Array.from(text.slice(0, 2 * maxSampleLength))
    .slice(0, maxSampleLength)
    .join('')
    .toWellFormed();
}

/** Returns the cells of a row with secrets masked. */
export type CellMask = (cells: readonly string[]) => string[];

/** Shortens a cell for display, and masks it if it may be a password. */
const shownCell = (cell: string, secret: boolean): string =>
  cell.trim() !== '' && (secret || isSecretCell(cell)) ? masked : shortenText(cell);

/**
 * Returns a mask for the cells of rows, in the order of the columns, up to the last cell that isn't empty. In a file with
 * passwords, a row is masked completely if its cells moved to other columns, for example by a surplus delimiter: the password
 * may then be under any heading.
 */
export function cellMask(columns: readonly Pick<FileColumn, 'index' | 'heading' | 'field'>[], width: number): CellMask {
  const maskedColumns = columns.map((column) => ({ index: column.index, secret: isSecretColumn(column) }));
  const countColumnsBefore = (index: number) => {
    const first = maskedColumns.findIndex((column) => column.index >= index);
    return first === -1 ? maskedColumns.length : first;
  };
  const hasSecrets = maskedColumns.some(({ secret }) => secret);
  const email = columns.find(({ field }) => field === 'email')?.index;
  const hasMoved = (cells: readonly string[]) =>
    filledWidth(cells) > width || (email !== undefined && !hasAtSign(cells[email] ?? '') && cells.some(hasAtSign));
  return (cells) => {
    const isMasked = hasSecrets && hasMoved(cells);
    // Skips the columns that a short row doesn't have.
    const filled = filledWidth(cells);
    return maskedColumns
      .slice(0, countColumnsBefore(filled))
      .map(({ index, secret }) => shownCell(cells[index] ?? '', secret || isMasked));
  };
}

/** Returns the {@link cellMask} of a file that can be imported. */
export function cellMaskFor(mapping: ColumnMapping): CellMask {
  const fields = fieldsByIndex(mapping.columns);
  const columns = mapping.fileColumns.map((column) => ({ ...column, field: fields.get(column.index) ?? null }));
  return cellMask(columns, mapping.width);
}

/** Returns the fields of the columns, by index. If the header can't be imported as it is, returns the likely fields. */
export function fieldsOfHeader(
  header: readonly string[],
  { map: maps = [], ...options }: ColumnOptions,
  rows: FirstRows,
  hidden: readonly number[] = [],
): Map<number, ImportField> {
  try {
    return fieldsByIndex(mapColumns(header, maps, rows, options, hidden).columns);
  } catch (error) {
    if (!isAppError(error, 'IMPORT_FILE_INVALID', 'USAGE')) throw error;
    const fileColumns = fileColumnsOf(header, maps);
    const mapped = resolveValidMappings(fileColumns, maps);
    const allowed = fieldsReadBy(options);
    const meaningOf = headingMatcherFor(fileColumns.map(({ heading }) => heading));
    return new Map(
      fileColumns.flatMap(({ heading, index }): [number, ImportField][] => {
        const field = mapped.has(index) ? mapped.get(index) : meaningOf(heading)?.field;
        return field === undefined || !allowed.includes(field) ? [] : [[index, field]];
      }),
    );
  }
}

/** Reads the columns of a table with sample values, even if its header can't be imported. Closes the table. */
export async function previewTable(table: SourceTable, options: ColumnOptions): Promise<FilePreview> {
  try {
    const { header, headerLine, hiddenColumns, format, first } = table;
    const maps = options.map ?? [];
    const restored = indexOfAddedColumns(header) < 0 ? (cell: string) => cell : restoreProtected;
    const rows = first.map(({ cells }) => cells.map(restored));
    const fields = fieldsOfHeader(header, options, rows, hiddenColumns);
    const fileColumns = fileColumnsOf(header, maps, hiddenColumns);
    const suggestions = suggestColumns(fileColumns, maps, fields, rows, fieldsReadBy(options));
    const columns = fileColumns.map(({ heading, index, hidden = false }) => ({
      index,
      hidden,
      heading: shortenText(heading.trim()),
      field: fields.get(index) ?? null,
      suggestion: suggestions.get(index) ?? null,
    }));
    const width = trimHeader(header, maps).length;
    const mask = cellMask(columns, width);
    const shown = rows.map(mask);
    const withSamples = columns.map((column, position) => {
      const filled = shown.map((cells) => cells[position] ?? '').filter((cell) => cell.trim() !== '');
      return { ...column, samples: filled.slice(0, samplesPerColumn) };
    });
    return { format, headerLine, columns: withSamples, width };
  } finally {
    await table.close();
  }
}
