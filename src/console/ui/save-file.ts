export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/**
 * Positions where a formula may start in a spreadsheet, with any delimiter. The console shares no code
 * with the service: `test/console/save-file.test.ts` compares this with `src/tables/write/cells.ts`.
 */
const formulaStart = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Inserts an apostrophe before each possible formula. */
export const neutralizeFormulas = (text: string): string => text.replace(formulaStart, "'");

/** Cell in the format of RFC 4180, without formulas. */
function cell(text: string): string {
  const safe = neutralizeFormulas(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** CSV with a byte order mark, by which spreadsheets recognize UTF-8. */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  `\ufeff${lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
