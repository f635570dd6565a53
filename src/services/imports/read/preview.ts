import type { FileColumn } from '../../../db/models/import-plan.js';
import { isAppError } from '../../../errors.js';
import { hasAtSign } from '../../../schemas/fields.js';
import { type ImportField, requiredColumns } from '../../../schemas/import.js';
import type { SourceFormat, SourceTable } from '../../../tables/table/table.js';
import { filledWidth } from '../../../tables/table/text.js';
import { restoreProtected } from '../../../tables/write/cells.js';
import { type FirstRows, suggestColumns } from './columns/column-guesses.js';
import { fileColumnsOf, resolveValidMappings, trimHeader } from './columns/column-maps.js';
import { type ColumnMapping, type ColumnOptions, fieldsByIndex, mapColumns } from './columns/columns.js';
import { headingMatcherFor, isSecretCell, isSecretColumn } from './fields/header-aliases.js';
import { indexOfAddedColumns } from './fields/headings.js';

/** The header and the first rows of a file, however little of it can be imported. */
export interface FilePreview {
  format: SourceFormat;
  headerLine: number;
  columns: FileColumn[];
  /** Cells of a row that belong to columns: those beyond are surplus. */
  width: number;
}

const samplesPerColumn = 5;
const maxSampleLength = 100;

/** What stands for a password. */
const masked = '••••••';

/** A text of no more than 100 characters. */
export function shortenText(text: string): string {
  if (text.length <= maxSampleLength) return text.toWellFormed();
  // A character has up to two units.
  return Array.from(text.slice(0, 2 * maxSampleLength))
    .slice(0, maxSampleLength)
    .join('')
    .toWellFormed();
}

/** Gives the cells of a row that may be shown, or kept. */
export type CellMask = (cells: readonly string[]) => string[];

/** A cell as it may be shown: shortened, and masked if it may be a password. */
const shownCell = (cell: string, secret: boolean): string =>
  cell.trim() !== '' && (secret || isSecretCell(cell)) ? masked : shortenText(cell);

/**
 * The cells of rows as they may be shown, in the order of the columns, up to the last one that isn't empty. In a file with
 * passwords, a row whose cells have moved to other columns, as by a surplus delimiter, is masked as a whole: the password may
 * be under any heading.
 */
export function cellMask(columns: readonly Pick<FileColumn, 'index' | 'heading' | 'field'>[], width: number): CellMask {
  const places = columns.map((column) => ({ index: column.index, secret: isSecretColumn(column) }));
  const placesBefore = (index: number) => {
    const first = places.findIndex((place) => place.index >= index);
    return first === -1 ? places.length : first;
  };
  const hasSecrets = places.some(({ secret }) => secret);
  const email = columns.find(({ field }) => field === 'email')?.index;
  const hasMoved = (cells: readonly string[]) =>
    filledWidth(cells) > width || (email !== undefined && !hasAtSign(cells[email] ?? '') && cells.some(hasAtSign));
  return (cells) => {
    const isMasked = hasSecrets && hasMoved(cells);
    // A short row costs nothing for the columns that it doesn't have.
    const filled = filledWidth(cells);
    return places
      .slice(0, placesBefore(filled))
      .map(({ index, secret }) => shownCell(cells[index] ?? '', secret || isMasked));
  };
}

/** {@link cellMask} of a file that can be imported. */
export function cellMaskFor(mapping: ColumnMapping): CellMask {
  const fields = fieldsByIndex(mapping.columns);
  const columns = mapping.fileColumns.map((column) => ({ ...column, field: fields.get(column.index) ?? null }));
  return cellMask(columns, mapping.width);
}

/** What the columns of a header are, or seem to be where it can't be imported as it is. */
export function fieldsOfHeader(
  header: readonly string[],
  { map: maps = [], ...options }: ColumnOptions,
  rows: FirstRows,
  hidden: readonly number[] = [],
): Map<number, ImportField> {
  try {
    return fieldsByIndex(mapColumns(header, maps, rows, requiredColumns(options), hidden).columns);
  } catch (error) {
    if (!isAppError(error, 'IMPORT_FILE_INVALID', 'USAGE')) throw error;
    const own = fileColumnsOf(header, maps);
    const decided = resolveValidMappings(own, maps);
    const meaningOf = headingMatcherFor(own.map(({ heading }) => heading));
    return new Map(
      own.flatMap(({ heading, index }): [number, ImportField][] => {
        const field = decided.has(index) ? decided.get(index) : meaningOf(heading)?.field;
        return field === undefined ? [] : [[index, field]];
      }),
    );
  }
}

/**
 * Reads the columns of a table with samples, also of one whose header can't be imported: people map its columns then. Closes the table.
 */
export async function previewTable(table: SourceTable, options: ColumnOptions): Promise<FilePreview> {
  try {
    const { header, headerLine, hiddenColumns, format, first } = table;
    const maps = options.map ?? [];
    const restored = indexOfAddedColumns(header) < 0 ? (cell: string) => cell : restoreProtected;
    const rows = first.map(({ cells }) => cells.map(restored));
    const fields = fieldsOfHeader(header, options, rows, hiddenColumns);
    const own = fileColumnsOf(header, maps, hiddenColumns);
    const suggestions = suggestColumns(own, maps, fields, rows);
    const columns = own.map(({ heading, index, hidden = false }) => ({
      index,
      hidden,
      heading: shortenText(heading.trim()),
      field: fields.get(index) ?? null,
      suggestion: suggestions.get(index) ?? null,
    }));
    const width = trimHeader(header, maps).length;
    const mask = cellMask(columns, width);
    const shown = rows.map(mask);
    const withSamples = columns.map((column, place) => {
      const filled = shown.map((cells) => cells[place] ?? '').filter((cell) => cell.trim() !== '');
      return { ...column, samples: filled.slice(0, samplesPerColumn) };
    });
    return { format, headerLine, columns: withSamples, width };
  } finally {
    await table.close();
  }
}
