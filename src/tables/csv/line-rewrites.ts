/** Ctrl-Z: DOS programs write it at the end of a file. */
const endMark = 0x1a;

/**
 * Rewrites a text in pieces that end with a line break. End marks are dropped, and an error follows the text before it.
 * @param longest a longer line is passed on in pieces, in bytes
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

/** A line that is one cell in quotes with delimiters in it, and nothing else. */
const wrapped = /^"((?:[^"]|"")*)"[ ,;\t|]*$/;

const unwrapLine = (line: string): string | undefined => wrapped.exec(line)?.[1]?.replaceAll('""', '"');

/**
 * Whether each line of a table is in quotes as a whole, as spreadsheets write a file that they took for a single column.
 * @param sample the beginning of the table, in UTF-8
 * @param isWhole whether it is all of the table
 */
export function areLinesWrapped(sample: Buffer, isWhole: boolean): boolean {
  const lines = sample.toString().split(/\r\n|\r|\n/);
  // The last line may be cut off.
  const whole = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== '');
  const isWrapped = (line: string) => importDelimiters.some((delimiter) => unwrapLine(line)?.includes(delimiter));
  return whole.length > 1 && whole.every(isWrapped);
}

/** The lines of a text without quotes around them as a whole. */
export const unwrapText = (text: Buffer): Buffer =>
  Buffer.from(
    text
      .toString()
      .split(/(\r\n|\r|\n)/)
      .map((part) => unwrapLine(part) ?? part)
      .join(''),
  );

/** A table in UTF-8 whose lines are wrapped, without the quotes around them. @param longest as of {@link rewriteLines} */
export const unwrapLines = (chunks: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> =>
  rewriteLines(chunks, longest, unwrapText);

/**
 * Quotes cells like `="0123"`, as CSV demands. People write them unquoted to keep leading zeros, and spreadsheets accept
 * that; a strict parser reports quotes in the middle of a field.
 * @param chunks a table in UTF-8
 * @param longest as of {@link rewriteLines}
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
