import { AppError } from '../../errors.js';

/** Limits of the sheets that spreadsheet programs open. */
export const maxColumns = 16_384;
/** Rows of a sheet, including the header. */
export const maxRows = 1_048_576;
export const maxCellCharacters = 32_767;

/** Refusal of a table that is too large for a workbook: it has too many rows, or a cell that is too long. */
export class TooLargeForWorkbook extends AppError {
  constructor() {
    const message = `The table is too large for a workbook: it has more than ${maxRows} rows, or ${maxCellCharacters} characters in a cell. Choose CSV.`;
    super('VALIDATION', message, { details: [{ path: 'format', code: 'TOO_LARGE', message }] });
  }
}

/**
 * @param line number of the row in its sheet, from 1
 * @throws TooLargeForWorkbook
 */
export function assertFitsWorkbook(line: number, cells: readonly unknown[], limit = maxRows): void {
  const isTooLong = (cell: unknown) => typeof cell === 'string' && cell.length > maxCellCharacters;
  if (line > limit || cells.some(isTooLong)) throw new TooLargeForWorkbook();
}
