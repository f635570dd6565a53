/** Lets the browser save a text, or bytes, as a file. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/**
 * Where a spreadsheet may begin to run a cell, also one that splits lines at other delimiters. The console shares no code with the
 * service: `test/console/save-file.test.ts` compares this with `src/csv/cells.ts`.
 */
const formulaStart = /^(?='*[\t\r\n])|(?<=^|[,;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** The text with an apostrophe wherever a spreadsheet would run it. */
export const neutralizeFormulas = (text: string): string => text.replace(formulaStart, "'");

/** A cell as RFC 4180 has it, which no spreadsheet runs. */
function cell(text: string): string {
  const safe = neutralizeFormulas(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of text as CSV with the mark by which spreadsheets know UTF-8. */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  `\ufeff${lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
