import { Readable } from 'node:stream';
import type { CsvFormat } from '../../../csv/format.js';
import type { Delimiter, Encoding } from '../../../schemas/import.js';
import { delimiterSampleBytes, detectDelimiter, type Preamble, readPreamble } from './delimiters.js';
import { decodedAs } from './encodings.js';
import { type CsvLimits, type CsvRow, RowReader } from './row-reader.js';
import { FileProblem } from './source-file.js';
import { quotedFormulas } from './text-formulas.js';
import { areLinesWrapped, unwrappedLines, withoutEndMarks } from './unwrapped-lines.js';
import type { RowWarning } from './warnings.js';

/** How to read a file. */
export interface CsvOptions {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/** An open file whose header was read. */
export interface CsvFile {
  format: CsvFormat;
  /** The cells of the first record that has any content. */
  header: string[];
  headerLine: number;
  /** What was taken off, or left out, above and around the table. */
  warnings: readonly RowWarning[];
  /**
   * The rows below the header, in one list for each chunk of the source; blank rows are left out. After the rows before
   * it, a fault throws `IMPORT_FILE_INVALID` with the line.
   */
  rows: AsyncGenerator<CsvRow[]>;
  /** How many lines the file has up to its last row, once all rows were read. */
  lines(): number;
  /** Closes the source, even when not all rows were read. */
  close(): Promise<void>;
}

/** The beginning of a file. */
interface Head {
  /** At least the bytes that decide on the format, or all there are. */
  bytes: Buffer;
  /** Whether the source has ended. */
  ended: boolean;
  /** The error that followed the bytes: it is thrown after the rows in them. */
  fault?: unknown;
}

async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Head> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    while (length <= delimiterSampleBytes) {
      const next = await chunks.next();
      if (next.done) return { bytes: Buffer.concat(parts), ended: true };
      parts.push(next.value);
      length += next.value.length;
    }
  } catch (fault) {
    return { bytes: Buffer.concat(parts), ended: false, fault };
  }
  return { bytes: Buffer.concat(parts), ended: false };
}

/**
 * Reads a file as a stream: memory doesn't grow with it.
 * @param source its bytes
 * @throws AppError `IMPORT_FILE_INVALID` for a file without a header
 */
export async function openCsv(
  source: AsyncIterable<Buffer>,
  { encoding, delimiter: wanted }: CsvOptions,
  limits: CsvLimits,
): Promise<CsvFile> {
  const text = withoutEndMarks(decodedAs(encoding, source));
  try {
    const head = await readHead(text);
    const preamble = readPreamble(head.bytes);
    const start = head.bytes.subarray(preamble.length);
    const isWrapped = areLinesWrapped(start.subarray(0, delimiterSampleBytes), head.ended);
    const table = isWrapped ? await unwrappedSample(start, limits) : start;
    const delimiter = wanted === 'auto' ? delimiterOf(preamble, table, head.ended) : wanted;
    const reader = new RowReader(delimiter, preamble.sepLine ? 2 : 1, limits);
    const whole = afterHead({ ...head, bytes: start }, text);
    const rows = rowsOf(isWrapped ? unwrappedLines(whole, limits.recordBytes) : whole, delimiter, reader);
    const close = async () => {
      reader.close();
      await rows.return(undefined);
      await text.return(undefined);
    };
    const format = { encoding, delimiter, byteOrderMark: preamble.byteOrderMark, sepLine: preamble.sepLine };
    const first = await rows.next();
    let [header, ...others] = first.done ? [] : first.value;
    const warnings: RowWarning[] = isWrapped ? [wrappedLines] : [];
    if (header !== undefined && isVersionLine(header.cells)) {
      warnings.push(versionLine(header));
      if (others.length === 0) others = (await rows.next()).value ?? [];
      [header, ...others] = others;
    }
    if (header === undefined) throw new FileProblem('NO_ROWS', 'The file is empty.');
    return {
      format,
      warnings,
      header: header.cells.map((cell) => cell.replaceAll('\ufeff', '')),
      headerLine: header.line,
      rows: prepended(others, rows),
      lines: () => reader.lastLine,
      close,
    };
  } catch (error) {
    await text.return(undefined);
    throw error;
  }
}

function delimiterOf({ sepLine, named }: Preamble, table: Buffer, isWhole: boolean): Delimiter {
  if (!sepLine) return detectDelimiter(table.subarray(0, delimiterSampleBytes), isWhole);
  if (named === undefined)
    throw new FileProblem(
      'DELIMITER_UNKNOWN',
      'Line 1 names a delimiter that is not known: it may be a comma, a semicolon, a tab or a pipe. Correct it, or name the delimiter with --delimiter.',
    );
  return named;
}

/** The beginning of a file, and what follows it. */
async function* afterHead(start: Head, text: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (start.bytes.length > 0) yield start.bytes;
  if (start.fault !== undefined) throw start.fault;
  yield* text;
}

/** The beginning of a table without the quotes around its lines. */
async function unwrappedSample(start: Buffer, { recordBytes }: CsvLimits): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of unwrappedLines(Readable.from([start]), recordBytes)) parts.push(part);
  return Buffer.concat(parts);
}

const wrappedLines: RowWarning = {
  code: 'LINES_QUOTED',
  field: null,
  message: 'Each line of the file is in quotes as a whole: they were taken off.',
};

/** A line above the header that says the version of a template, such as `version:v1.0`. */
function isVersionLine([first = '', ...others]: readonly string[]): boolean {
  return (
    /^\s*version\s*[:=]?\s*v?\d+(\.\d+)*\s*$/i.test(first.slice(0, 100)) && others.every((cell) => cell.trim() === '')
  );
}

const versionLine = ({ line, cells: [first = ''] }: CsvRow): RowWarning => ({
  code: 'VERSION_LINE',
  field: null,
  message: `Line ${line}, "${first.trim()}", is not imported: the header follows it.`,
});

async function* rowsOf(
  table: AsyncIterable<Buffer>,
  delimiter: Delimiter,
  reader: RowReader,
): AsyncGenerator<CsvRow[]> {
  try {
    for await (const bytes of quotedFormulas(table, delimiter)) yield* yielded(await reader.read(bytes));
    yield* yielded(await reader.read());
  } finally {
    reader.close();
  }
}

function* yielded({ rows, fault }: { rows: CsvRow[]; fault?: unknown }): Generator<CsvRow[]> {
  if (rows.length > 0) yield rows;
  if (fault !== undefined) throw fault;
}

async function* prepended(first: CsvRow[], rows: AsyncGenerator<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  if (first.length > 0) yield first;
  yield* rows;
}

/** How many rows show what the columns are. */
const firstRowCount = 200;

/**
 * Reads the first rows ahead.
 * @returns them, up to a row that can't be read, and all rows: a fault is thrown after the rows before it
 */
export async function readAhead(
  rows: AsyncGenerator<CsvRow[]>,
): Promise<{ first: CsvRow[]; rows: AsyncGenerator<CsvRow[]> }> {
  const lists: CsvRow[][] = [];
  let fault: unknown;
  try {
    for (let count = 0; count < firstRowCount; ) {
      const next = await rows.next();
      if (next.done) break;
      lists.push(next.value);
      count += next.value.length;
    }
  } catch (error) {
    fault = error;
  }
  async function* all() {
    yield* lists;
    if (fault !== undefined) throw fault;
    yield* rows;
  }
  return { first: lists.flat().slice(0, firstRowCount), rows: all() };
}
