/**
 * A spreadsheet runs a cell that begins like a formula. Such cells are written with an apostrophe in front, which
 * spreadsheets read as "this is text"; reading removes it. A cell that already begins with apostrophes gets one more, so
 * that reading always gives what was written.
 *
 * This goes for each delimiter within a cell, too: a spreadsheet that is set up for semicolons splits a file with commas
 * at the semicolons and line breaks in its cells, quoted or not, and drops quotes at the beginning of each part.
 */
const formulaStart = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const neutralizedStart = new RegExp(formulaStart.source.replaceAll('(?=', "'(?="), 'g');

const isFormulaLike = (cell: string) => cell.search(formulaStart) !== -1;
const neutralizeAll = (cell: string) => cell.replace(formulaStart, "'");

/** A number with its country code: the digits after the plus are no formula. */
const isInternationalNumber = (cell: string) => /^\+[\d ]+$/.test(cell) && /\d/.test(cell);

/**
 * The cell as a spreadsheet may open it.
 * @param isFirst whether a line begins with it: a spreadsheet that splits at another delimiter reads on behind the number
 */
export function neutralizeCell(cell: string, isFirst = false): string {
  return isInternationalNumber(cell) && !isFirst ? cell : neutralizeAll(cell);
}

/** The cell as it was before {@link neutralizeCell}. */
export function restoreCell(cell: string): string {
  return cell.includes("'") ? cell.replace(neutralizedStart, '') : cell;
}

/** Numbers, dates and times as people write them. */
const isNumeric = (cell: string) => /^'*[\d .,:/()%\u00a0\u202f-]+$/.test(cell) && /\d/.test(cell);
/** Numbers that a spreadsheet keeps as they are: short, and without a zero in front. */
const plainNumber = /^'*(0|[1-9]\d{0,10})$/;

/** Whether a spreadsheet saves another text than it read: 030 1234 without its zero, rounded numbers, 1/2 as a day. */
const isAlteredBySpreadsheet = (cell: string) => isNumeric(cell) && !plainNumber.test(cell) && !isFormulaLike(cell);

/** The cell, written so that a spreadsheet neither runs it nor changes it when it opens and saves the file. */
export function protectCell(cell: string): string {
  return isAlteredBySpreadsheet(cell) ? `'${cell}` : neutralizeAll(cell);
}

/** The cell as it was before {@link protectCell}. @param cell as {@link readCell} has read it */
export function restoreProtected(cell: string): string {
  return cell.startsWith("'") && isAlteredBySpreadsheet(cell) ? cell.slice(1) : cell;
}

/** The text of a cell, whether this program wrote the file or another one. */
export function readCell(cell: string): string {
  if (cell.charCodeAt(0) !== 0x3d) return restoreCell(cell);
  // ="0123" marks digits as text for a spreadsheet.
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return restoreCell(cell);
  const text = cell.slice(2, -1);
  return text.replaceAll('""', '').includes('"') ? restoreCell(cell) : text.replaceAll('""', '"');
}

/** An apostrophe that makes a phone number text. */
const textMark = /^\s*'(?='*[\d+(])/;

/** The phone in a cell, without the apostrophe that makes it text. */
export const readPhone = (cell: string): string => cell.replace(textMark, '');

/** The cell from which {@link readCell} and {@link readPhone} read the phone, even after a spreadsheet has saved the file. */
export function protectPhone(phone: string): string {
  if (isAlteredBySpreadsheet(phone) && /^[\d(]/.test(phone)) return `'${phone}`;
  // An apostrophe that belongs to the phone would be read as one that makes it text.
  return neutralizeAll(textMark.test(phone) ? `'${phone}` : phone);
}
