import { importDelimiters } from '../../../schemas/import.js';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const endMark = 0x1a;

/**
 * Drops the end marks (Ctrl-Z) of DOS programs at the end of a text.
 * @param chunks a text in UTF-8
 */
export async function* withoutEndMarks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  /** How many marks the text so far ends in: other bytes may follow. */
  let held = 0;
  for await (const chunk of chunks) {
    const length = chunk.findLastIndex((byte) => byte !== endMark) + 1;
    if (length > 0) {
      yield held === 0
        ? chunk.subarray(0, length)
        : Buffer.concat([Buffer.alloc(held, endMark), chunk.subarray(0, length)]);
      held = 0;
    }
    held += chunk.length - length;
  }
}

/** A line that is one cell in quotes with delimiters in it, and nothing else. */
const wrapped = /^"((?:[^"]|"")*)"[ ,;\t|]*$/;

const contentOf = (line: string): string | undefined => wrapped.exec(line)?.[1]?.replaceAll('""', '"');

/**
 * Whether each line of a table is in quotes as a whole, as spreadsheets write a file that they took for a single column.
 * @param sample the beginning of the table, in UTF-8
 * @param isWhole whether it is all of the table
 */
export function areLinesWrapped(sample: Buffer, isWhole: boolean): boolean {
  const lines = sample.toString().split(/\r\n|\r|\n/);
  // The last line may be cut off.
  const whole = (isWhole ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== '');
  return (
    whole.length > 1 &&
    whole.every((line) => {
      const content = contentOf(line);
      return content !== undefined && importDelimiters.some((delimiter) => content.includes(delimiter));
    })
  );
}

/**
 * Takes the quotes around whole lines off.
 * @param chunks a table in UTF-8 whose lines are wrapped
 * @param longest a longer line is passed on as it is, in bytes
 */
export async function* unwrappedLines(chunks: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  const unwrapped = (text: string) =>
    text
      .split(/(\r\n|\r|\n)/)
      .map((part) => contentOf(part) ?? part)
      .join('');
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const lines = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    const end = bytes.length - lines > longest ? bytes.length : lines;
    rest = bytes.subarray(end);
    if (end > 0) yield Buffer.from(unwrapped(bytes.toString('utf8', 0, end)));
  }
  if (rest.length > 0) yield Buffer.from(unwrapped(rest.toString()));
}
