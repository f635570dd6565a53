import { AppError } from '../../errors.js';

/** What spreadsheet programs can open. */
export const mostColumns = 16_384;
/** With the header. */
export const mostRows = 1_048_576;
export const mostCellCharacters = 32_767;

/** No workbook can have all of a table: a cell is too long, or there are too many rows. */
export class TooLargeForWorkbook extends AppError {
  constructor() {
    const message = `No workbook can have all of it: it has more than ${mostRows} rows, or ${mostCellCharacters} characters in a cell. Take CSV.`;
    super('VALIDATION', message, { details: [{ path: 'format', code: 'TOO_LARGE', message }] });
  }
}

/** @param line of the row in its sheet, from 1 @throws TooLargeForWorkbook */
export function assertFitsWorkbook(line: number, cells: readonly unknown[], most = mostRows): void {
  const isTooLong = (cell: unknown) => typeof cell === 'string' && cell.length > mostCellCharacters;
  if (line > most || cells.some(isTooLong)) throw new TooLargeForWorkbook();
}
