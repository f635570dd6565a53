/** Lets the browser save a text, or bytes that were received, as a file. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** A cell as RFC 4180 has it; one that a spreadsheet would run begins with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of text as CSV with the mark by which spreadsheets know UTF-8. */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  `\ufeff${lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('')}`;
