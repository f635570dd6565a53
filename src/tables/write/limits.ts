import { AppError } from '../../errors.js';

/** What spreadsheet programs can open. */
export const maxColumns = 16_384;
/** With the header. */
export const maxRows = 1_048_576;
export const maxCellCharacters = 32_767;

/** No workbook can have all of a table: a cell is too long, or there are too many rows. */
export class TooLargeForWorkbook extends AppError {
  constructor() {
    const message = `No workbook can have all of it: it has more than ${maxRows} rows, or ${maxCellCharacters} characters in a cell. Take CSV.`;
    super('VALIDATION', message, { details: [{ path: 'format', code: 'TOO_LARGE', message }] });
  }
}

/** @param line of the row in its sheet, from 1 @throws TooLargeForWorkbook */
export function assertFitsWorkbook(line: number, cells: readonly unknown[], limit = maxRows): void {
  const isTooLong = (cell: unknown) => typeof cell === 'string' && cell.length > maxCellCharacters;
  if (line > limit || cells.some(isTooLong)) throw new TooLargeForWorkbook();
}
