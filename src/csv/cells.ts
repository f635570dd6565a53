/**
 * A spreadsheet runs a cell that begins like a formula. Such cells are written with an apostrophe in front, which
 * spreadsheets take as "this is text", and lose it again when they are read. Apostrophes that were there already
 * get one more, so that what is read is always what was written: whether a cell is meant never depends on them.
 *
 * The same within a cell, behind whatever a spreadsheet splits by: one that is set up for semicolons splits a file with commas
 * at the semicolons in its cells, quoted or not, and at their line breaks; quotes at the beginning of such a part are dropped.
 */
const runnable = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const neutralized = new RegExp(runnable.source.replaceAll('(?=', "'(?="), 'g');

const isRunnable = (cell: string) => cell.search(runnable) !== -1;
const neutralizeAll = (cell: string) => cell.replace(runnable, "'");

/** A number with its country code: behind the plus there is nothing that could be run. */
const isDialled = (cell: string) => /^\+[\d ]+$/.test(cell) && /\d/.test(cell);

/** The cell as it may be shown to a spreadsheet. */
export function neutralizeCell(cell: string): string {
  return isDialled(cell) ? cell : neutralizeAll(cell);
}

/** The cell as it was before {@link neutralizeCell}. */
export function restoreCell(cell: string): string {
  return cell.includes("'") ? cell.replace(neutralized, '') : cell;
}

/** Numbers, dates and times as people write them. */
const isNumeric = (cell: string) => /^'*[\d .,:/()%\u00a0\u202f-]+$/.test(cell) && /\d/.test(cell);
/** Numbers that a spreadsheet shows and saves as they are: short, and without a zero in front. */
const plainNumber = /^'*(0|[1-9]\d{0,10})$/;

/** Whether a spreadsheet saves something else than it read: 030 1234 without its zero, rounded numbers, 1/2 as a day. */
const isMangled = (cell: string) => isNumeric(cell) && !plainNumber.test(cell) && !isRunnable(cell);

/** The cell as it outlives being opened and saved by a spreadsheet, a plus in front included. It is never run either. */
export function protectCell(cell: string): string {
  return isMangled(cell) ? `'${cell}` : neutralizeAll(cell);
}

/** What {@link readCell} has read of a file in which cells are protected, as it was before {@link protectCell}. */
export function restoreProtected(cell: string): string {
  return cell.startsWith("'") && isMangled(cell) ? cell.slice(1) : cell;
}

/** What a cell of a file that isn't ours, or is, says. */
export function readCell(cell: string): string {
  if (cell.charCodeAt(0) !== 0x3d) return restoreCell(cell);
  // ="0123": how a spreadsheet is told that digits are text.
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return restoreCell(cell);
  const text = cell.slice(2, -1);
  return text.replaceAll('""', '').includes('"') ? restoreCell(cell) : text.replaceAll('""', '"');
}

/** An apostrophe that makes a phone number text. */
const textMark = /^\s*'(?='*[\d+(])/;

/** A phone as its cell says it: an apostrophe in front only makes it text. */
export const readPhone = (cell: string): string => cell.replace(textMark, '');

/** The cell of a phone, of which {@link readCell} and {@link readPhone} make that phone, whatever a spreadsheet does meanwhile. */
export function phoneCell(phone: string): string {
  if (isMangled(phone) && /^[\d(]/.test(phone)) return `'${phone}`;
  // An apostrophe of the phone's own would be taken for one that makes it text.
  return neutralizeAll(textMark.test(phone) ? `'${phone}` : phone);
}
