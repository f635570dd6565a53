/**
 * Matches the positions at which a formula may begin. A spreadsheet runs a cell that begins like a formula, so the cell gets a
 * leading apostrophe, which marks a text. Reading removes the apostrophe. A cell that already begins with apostrophes gets one
 * more, so that reading always returns the original text.
 *
 * The pattern also matches after delimiters within a cell: a spreadsheet that expects semicolons splits a cell at its
 * semicolons, even in a file with commas and in quotes, and drops quotes at the beginning of each part.
 */
const formulaStart = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const neutralizedStart = new RegExp(formulaStart.source.replaceAll('(?=', "'(?="), 'g');

const isFormulaLike = (cell: string) => cell.search(formulaStart) !== -1;
const neutralizeAll = (cell: string) => cell.replace(formulaStart, "'");

/** Whether a cell is a phone number with its country code: digits after a plus are no formula. */
const isInternationalNumber = (cell: string) => /^\+[\d ]+$/.test(cell) && /\d/.test(cell);

/**
 * Returns the cell in a form that a spreadsheet can open safely.
 * @param isFirst whether the cell begins its line: a spreadsheet that expects another delimiter reads the line as one cell,
 *   so even a phone number may begin a formula
 */
export function neutralizeCell(cell: string, isFirst = false): string {
  return isInternationalNumber(cell) && !isFirst ? cell : neutralizeAll(cell);
}

/** Reverts {@link neutralizeCell}. */
export function restoreCell(cell: string): string {
  return cell.includes("'") ? cell.replace(neutralizedStart, '') : cell;
}

const isNumeric = (cell: string) => /^'*[\d .,:/()%\u00a0\u202f-]+$/.test(cell) && /\d/.test(cell);
/** Matches numbers that a spreadsheet keeps unchanged: short, and without a leading zero. */
const plainNumber = /^'*(0|[1-9]\d{0,10})$/;

/** Whether a spreadsheet would change a cell: it drops leading zeros, rounds numbers, and reads 1/2 as a date. */
const isAlteredBySpreadsheet = (cell: string) => isNumeric(cell) && !plainNumber.test(cell) && !isFormulaLike(cell);

/** Returns the cell in a form that a spreadsheet neither runs nor changes when it opens and saves the file. */
export function protectCell(cell: string): string {
  return isAlteredBySpreadsheet(cell) ? `'${cell}` : neutralizeAll(cell);
}

/** Reverts {@link protectCell}. @param cell result of {@link readCell} */
export function restoreProtected(cell: string): string {
  return cell.startsWith("'") && isAlteredBySpreadsheet(cell) ? cell.slice(1) : cell;
}

/** Returns the text of a cell of CSV, written by this program or by another one. */
export function readCell(cell: string): string {
  if (cell.charCodeAt(0) !== 0x3d) return restoreCell(cell);
  // Programs write ="0123" to mark digits as text for a spreadsheet.
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return restoreCell(cell);
  const text = cell.slice(2, -1);
  return text.replaceAll('""', '').includes('"') ? restoreCell(cell) : text.replaceAll('""', '"');
}

/** Matches the apostrophe that marks a phone number as text. */
const textMark = /^\s*'(?='*[\d+(])/;

/** Returns the phone of a cell without the apostrophe that marks it as text. */
export const readPhone = (cell: string): string => cell.replace(textMark, '');

/** Returns a cell that {@link readPhone} can read, even after a spreadsheet has saved the file. */
export function protectPhone(phone: string): string {
  if (isAlteredBySpreadsheet(phone) && /^[\d(]/.test(phone)) return `'${phone}`;
  // Otherwise, reading would remove an apostrophe that belongs to the phone.
  return neutralizeAll(textMark.test(phone) ? `'${phone}` : phone);
}
