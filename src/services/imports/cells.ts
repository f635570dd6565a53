/**
 * A spreadsheet runs a cell that begins like a formula. Such cells are written with an apostrophe in front, which
 * spreadsheets take as "this is text", and lose it again when they are read. Apostrophes that were there already
 * get one more, so that what is read is always what was written.
 *
 * The same within a cell, behind whatever a spreadsheet splits by: one that is set up for semicolons splits a file with commas
 * at the semicolons in its cells, quoted or not, and at their line breaks; quotes at the beginning of such a part are dropped.
 */
const runnable = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const neutralized = new RegExp(runnable.source.replaceAll('(?=', "'(?="), 'g');

/** The cell as it may be shown to a spreadsheet. */
export function neutralizeCell(cell: string): string {
  return cell.replace(runnable, "'");
}

/** The cell as it was before {@link neutralizeCell}. */
export function restoreCell(cell: string): string {
  return cell.includes("'") ? cell.replace(neutralized, '') : cell;
}

/** What a cell of a file that isn't ours, or is, says. */
export function readCell(cell: string): string {
  if (cell.charCodeAt(0) !== 0x3d) return restoreCell(cell);
  // ="0123": how a spreadsheet is told that digits are text.
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return restoreCell(cell);
  const text = cell.slice(2, -1);
  return text.replaceAll('""', '').includes('"') ? restoreCell(cell) : text.replaceAll('""', '"');
}
