import { isAscii } from 'node:buffer';

/** How many bytes of rows decide on a code page, at most: enough for any, and soon examined. */
const sampleBytes = 16 * 1024;
/** How many lines at the beginning may be the header. */
const headLines = 5;
const longestLine = 4 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** No byte below it is the second one of a character in any code page. */
const lowestTrail = 0x30;

/** No more than the first 4 KiB of a line, up to the end of a character. */
function shortened(line: Buffer): Buffer {
  if (line.length <= longestLine) return line;
  let end = longestLine;
  while (end > 0 && line.readUInt8(end - 1) >= lowestTrail) end -= 1;
  return line.subarray(0, end);
}

/** Lines with bytes beyond ASCII from all parts of a file, which alone tell its code page: memory doesn't grow with it. */
export class RowSample {
  readonly #head: Buffer[] = [];
  #rows: Buffer[] = [];
  #bytes = 0;
  /** Every so many lines beyond ASCII one is kept. */
  #stride = 1;
  #lines = 0;
  #unfinished: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const bytes = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, chunk]) : chunk;
    const end = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
    // Beyond the longest line nothing is looked at.
    this.#unfinished = Buffer.from(bytes.subarray(end, end + longestLine + 1));
    if (end > 0) this.#addAll(bytes.subarray(0, end));
  }

  #addAll(bytes: Buffer): void {
    if (this.#head.length === headLines && isAscii(bytes)) return;
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (bytes[at] !== lineFeed && bytes[at] !== carriageReturn) continue;
      if (at > start) this.#add(bytes.subarray(start, at));
      start = at + 1;
    }
  }

  #add(line: Buffer): void {
    const start = shortened(line);
    if (this.#head.length < headLines) this.#head.push(Buffer.from(start));
    else if (!isAscii(start)) this.#addRow(start);
  }

  #addRow(line: Buffer): void {
    this.#lines += 1;
    if (this.#lines % this.#stride !== 0) return;
    const row = Buffer.from(line);
    this.#rows.push(row);
    this.#bytes += row.length;
    if (this.#bytes <= sampleBytes) return;
    this.#rows = this.#rows.filter((_, index) => index % 2 === 1);
    this.#bytes = this.#rows.reduce((sum, { length }) => sum + length, 0);
    this.#stride *= 2;
  }

  /** The first lines of the file and the sampled ones, and of all these the ones beyond ASCII. Ends the sample. */
  finish(): { file: Buffer; beyondAscii: Buffer } {
    if (this.#unfinished.length > 0) this.#add(this.#unfinished);
    const lines = [...this.#head, ...this.#rows];
    const joined = (some: readonly Buffer[]) => Buffer.concat(some.flatMap((line) => [line, Buffer.of(lineFeed)]));
    return { file: joined(lines), beyondAscii: joined(lines.filter((line) => !isAscii(line))) };
  }
}
