import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CsvError, Parser } from 'csv-parse';
import { AppError, systemErrorCode, whyUnreadable } from '../../errors.js';
import type { Delimiter, Encoding } from '../../schemas/import.js';
import { readCell } from './cells.js';
import { delimiterSampleBytes, detectDelimiter, type Preamble, readPreamble } from './delimiters.js';
import { decodedAs } from './encodings.js';
import { quotedFormulas } from './text-formulas.js';

/** One record of a file. */
export interface CsvRow {
  /** Number of the line on which it begins, from 1. */
  line: number;
  cells: string[];
}

/** Bounds against files that aren't what they seem. */
export interface CsvLimits {
  fieldBytes: number;
  recordBytes: number;
  columns: number;
}

/** How a file is to be read. */
export interface CsvOptions {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/** How a file was read. */
export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  byteOrderMark: boolean;
  /** Whether it begins with a line `sep=;`. */
  sepLine: boolean;
}

/** A file of which the header was read. */
export interface CsvFile {
  format: CsvFormat;
  /** The cells of the first record that has any content. */
  header: string[];
  headerLine: number;
  /**
   * The rows below it, as many at once as came in one piece; rows without any content are left out.
   * Throws `IMPORT_FILE_INVALID` for what isn't CSV, with the line, after the rows before it.
   */
  rows: AsyncGenerator<CsvRow[]>;
  /** Lets go of the source, wherever reading has come to. */
  close(): Promise<void>;
}

function unreadable(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new AppError('IMPORT_FILE_INVALID', `The file ${file} ${whyUnreadable(code)}.`, { cause: error });
}

/** How much is read and parsed at a time: little enough that others get their turn in between. */
const chunkBytes = 16 * 1024;

/** The bytes of a file. @throws AppError `IMPORT_FILE_INVALID` when it can't be read */
export async function* fileBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) yield chunk as Buffer;
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * What stays the same as long as a file does.
 * @throws AppError `IMPORT_FILE_INVALID` when it can't be read, or not twice as a plan and its application do
 */
export async function fileIdentity(file: string): Promise<string> {
  const stats = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (!stats.isFile() && !stats.isDirectory())
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} is a pipe or a device. Save it as a file.`);
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

const invalid = (message: string) => new AppError('IMPORT_FILE_INVALID', message);

/** csv-parse's own messages quote the file's contents: what they mean is said without. */
function faultOf(code: string, limits: CsvLimits): string {
  switch (code) {
    case 'INVALID_OPENING_QUOTE':
      return 'has a quote in the middle of a field. Double it ("") and put the whole field in quotes';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'has text after a closing quote. Double the quotes inside the field ("")';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'has a quote that is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `has more than ${limits.recordBytes} bytes. Most likely a quote in it is never closed`;
    default:
      return `is not valid CSV (${code})`;
  }
}

const lineBreak = /\r\n|\r|\n/g;

/** csv-parse, handing its records over without the queue of a stream, which costs more than reading them. */
class RecordParser extends Parser {
  #records: { cells: string[]; blankLines: number }[] = [];

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.push({ cells: record, blankLines: this.info.empty_lines });
    return true;
  }

  /** The records that have come since the last time, each with the number of all blank lines before it. */
  takeRecords(): { cells: string[]; blankLines: number }[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

/** Makes rows of bytes: UTF-8, without byte order mark. */
class RowReader {
  readonly #parser: RecordParser;
  readonly #limits: CsvLimits;
  /** The line on which the next record begins. csv-parse's own count takes a CRLF in quotes for two. */
  #nextLine: number;
  #blankLines = 0;
  #bytesSinceLine = 0;

  constructor(delimiter: Delimiter, line: number, limits: CsvLimits) {
    this.#nextLine = line;
    this.#limits = limits;
    this.#parser = new RecordParser({
      delimiter,
      // Named, because csv-parse would take the first one it meets for the only one.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: limits.recordBytes,
    });
    // It comes with the callbacks as well.
    this.#parser.on('error', () => undefined);
  }

  /**
   * Reads on.
   * @param bytes the next ones; absent at the end
   * @returns the rows that are complete, and the fault that was met after them
   */
  async read(bytes?: Buffer): Promise<{ rows: CsvRow[]; fault?: unknown }> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (bytes === undefined) this.#parser.end(resolve);
      else this.#parser.write(bytes, resolve);
    });
    const records = this.#parser.takeRecords();
    const rows: CsvRow[] = [];
    try {
      for (const { cells, blankLines } of records) {
        this.#passBlankLines(blankLines);
        this.#add(cells, rows);
      }
      const isOneLine = records.length === 0 && this.#parser.info.empty_lines === this.#blankLines;
      this.#bytesSinceLine = isOneLine ? this.#bytesSinceLine + (bytes?.length ?? 0) : 0;
      this.#passBlankLines(this.#parser.info.empty_lines);
      if (error instanceof CsvError)
        throw invalid(`The row that begins on line ${this.#nextLine} ${faultOf(error.code, this.#limits)}.`);
      if (error) throw error;
      this.#assertEnding();
      return { rows };
    } catch (fault) {
      this.close();
      return { rows, fault };
    }
  }

  close(): void {
    this.#parser.destroy();
  }

  #passBlankLines(before: number): void {
    this.#nextLine += before - this.#blankLines;
    this.#blankLines = before;
  }

  #add(record: readonly string[], rows: CsvRow[]): void {
    const line = this.#nextLine;
    let lineBreaks = 0;
    let hasContent = false;
    if (record.length > this.#limits.columns) throw this.#tooWide();
    const cells = record.map((raw, index) => {
      if (raw.includes('\n') || raw.includes('\r')) lineBreaks += raw.match(lineBreak)?.length ?? 0;
      const cell = readCell(raw);
      hasContent ||= cell.trim() !== '';
      if (cell.length * 3 > this.#limits.fieldBytes) this.#assertFieldFits(cell, index);
      return cell;
    });
    this.#nextLine += lineBreaks + 1;
    if (hasContent) rows.push({ line, cells });
  }

  #assertFieldFits(cell: string, index: number): void {
    if (Buffer.byteLength(cell) > this.#limits.fieldBytes)
      throw invalid(`Line ${this.#nextLine}, column ${index + 1} has more than ${this.#limits.fieldBytes} bytes.`);
  }

  /**
   * A record goes on: csv-parse sees to it that its text doesn't do so for ever, but not that its fields don't.
   * With the most bytes that its text can take, anything longer has too many of them.
   */
  #assertEnding(): void {
    const { recordBytes, columns } = this.#limits;
    if (this.#bytesSinceLine > 3 * (recordBytes + columns)) throw this.#tooWide();
  }

  #tooWide(): AppError {
    return invalid(`Line ${this.#nextLine} has more than ${this.#limits.columns} columns.`);
  }
}

/** The beginning of a file. */
interface Head {
  /** As many bytes as decide on a format, however the chunks fall; maybe more. */
  bytes: Buffer;
  /** Whether that is all. */
  ended: boolean;
  /** What went wrong after them: it has its turn when the rows in them have had theirs. */
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
  const text = decodedAs(encoding, source);
  try {
    const head = await readHead(text);
    const preamble = readPreamble(head.bytes);
    const table = head.bytes.subarray(preamble.length);
    const delimiter = wanted === 'auto' ? delimiterOf(preamble, table, head.ended) : wanted;
    const reader = new RowReader(delimiter, preamble.sepLine ? 2 : 1, limits);
    const rows = rowsOf({ ...head, bytes: table }, text, delimiter, reader);
    const close = async () => {
      reader.close();
      await rows.return(undefined);
      await text.return(undefined);
    };
    const format = { encoding, delimiter, byteOrderMark: preamble.byteOrderMark, sepLine: preamble.sepLine };
    const first = await rows.next();
    const [header, ...others] = first.done ? [] : first.value;
    if (header === undefined) throw invalid('The file is empty.');
    return {
      format,
      header: header.cells.map((cell) => cell.replaceAll('\ufeff', '')),
      headerLine: header.line,
      rows: prepended(others, rows),
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
    throw invalid(
      'Line 1 names a delimiter that is not known: it may be a comma, a semicolon, a tab or a pipe. Mend it, or name the delimiter with --delimiter.',
    );
  return named;
}

async function* rowsOf(
  start: Head,
  text: AsyncGenerator<Buffer>,
  delimiter: Delimiter,
  reader: RowReader,
): AsyncGenerator<CsvRow[]> {
  async function* all() {
    if (start.bytes.length > 0) yield start.bytes;
    if (start.fault !== undefined) throw start.fault;
    yield* text;
  }
  try {
    for await (const bytes of quotedFormulas(all(), delimiter)) yield* yielded(await reader.read(bytes));
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
