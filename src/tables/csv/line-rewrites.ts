/** Ctrl-Z, which DOS programs write at the end of a file. */
const endMark = 0x1a;

/**
 * Rewrites a text in chunks that end with a line break. Drops end marks. Throws an error of the source after yielding the text
 * before it.
 * @param longest maximum bytes of a line; a longer line is split into several chunks
 */
async function* rewriteLines(
  chunks: AsyncIterable<Buffer>,
  longest: number,
  rewrite: (piece: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let fault: { error: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const lines = Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1;
      const end = bytes.length - lines > longest ? bytes.length : lines;
      rest = bytes.subarray(end);
      if (end > 0) yield rewrite(bytes.subarray(0, end));
    }
  } catch (error) {
    fault = { error };
  }
  const last = rest.subarray(0, rest.findLastIndex((byte) => byte !== endMark) + 1);
  if (last.length > 0) yield rewrite(last);
  if (fault) throw fault.error;
}

/** Matches a line that is one quoted cell, followed by blank cells at most. */
const wrapped = /^"((?:[^"]|"")*)"[ ,;\t|]*$/;

const unwrapLine = (line: string): string | undefined => wrapped.exec(line)?.[1]?.replaceAll('""', '"');

/**
 * Whether each line of a table is quoted as a whole. Spreadsheets write such lines if they read the file as one column.
 * @param sample the beginning of the table, in UTF-8
 * @param isWhole whether the sample is the whole table
 */
export function areLinesWrapped(sample: Buffer, isWhole: boolean): boolean {
  const lines = sample.toString().split(/\r\n|\r|\n/);
  // The last line may be incomplete.
  const whole = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== '');
  const isWrapped = (line: string) => importDelimiters.some((delimiter) => unwrapLine(line)?.includes(delimiter));
  return whole.length > 1 && whole.every(isWrapped);
}

/** Removes the quotes around each line of a text. */
export const unwrapText = (text: Buffer): Buffer =>
  Buffer.from(
    text
      .toString()
      .split(/(\r\n|\r|\n)/)
      .map((part) => unwrapLine(part) ?? part)
      .join(''),
  );

/** Removes the quotes around each line of a table in UTF-8. @param longest see {@link rewriteLines} */
export const unwrapLines = (chunks: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> =>
  rewriteLines(chunks, longest, unwrapText);

/**
 * Quotes cells like `="0123"`, as CSV demands. People write them without quotes to keep leading zeros, and spreadsheets
 * accept them. A strict parser rejects quotes in the middle of a field.
 * @param chunks a table in UTF-8
 * @param longest see {@link rewriteLines}
 */
export function quoteFormulas(
  chunks: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  longest: number,
): AsyncGenerator<Buffer> {
  const inCell = `[^${delimiter}\r\n]`;
  const quotedOrFormula = new RegExp(
    `"[^"]*(?:""[^"]*)*(?:"|$)|(?<!${inCell})="[^"\r\n]*(?:""[^"\r\n]*)*"(?!${inCell})`,
    'g',
  );
  let inQuotes = false;
  return rewriteLines(chunks, longest, (piece) => {
    const open = inQuotes ? '"' : '';
    for (let at = piece.indexOf('"'); at >= 0; at = piece.indexOf('"', at + 1)) inQuotes = !inQuotes;
    if (!piece.includes('="')) return piece;
    const text = `${open}${piece}`.replace(quotedOrFormula, (cell) =>
      cell.startsWith('=') ? `"${cell.replaceAll('"', '""')}"` : cell,
    );
    return Buffer.from(text.slice(open.length));
  });
}

import { type Delimiter, importDelimiters } from '../../schemas/file-format.js';
