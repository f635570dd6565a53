/**
 * A spreadsheet runs a cell that begins like a formula. Such cells are written with an apostrophe in front, which
 * spreadsheets take as "this is text", and lose it again when they are read. Apostrophes that were there already
 * get one more, so that what is read is always what was written.
 */
const runnable = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** The cell as it may be shown to a spreadsheet. */
export function neutralizeCell(cell: string): string {
  return runnable.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was before {@link neutralizeCell}. */
export function restoreCell(cell: string): string {
  return cell.startsWith("'") && runnable.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** What a cell of a file that isn't ours, or is, says. */
export function readCell(cell: string): string {
  const first = cell.charCodeAt(0);
  if (first === 0x27) return restoreCell(cell);
  if (first !== 0x3d) return cell;
  // ="0123": how a spreadsheet is told that digits are text.
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return cell;
  const text = cell.slice(2, -1);
  return text.replaceAll('""', '').includes('"') ? cell : text.replaceAll('""', '"');
}
