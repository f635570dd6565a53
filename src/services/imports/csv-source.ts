import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Options, parse } from 'csv-parse';
import { AppError, systemErrorCode } from '../../errors.js';
import { restoreCell } from './cells.js';
import { checkedUtf8 } from './utf8.js';

/** One record of a file. */
export interface CsvRow {
  /** Number of the line on which it begins, from 1. */
  line: number;
  cells: string[];
}

/** Bounds against files that aren't what they seem, in bytes and columns. */
const limits = { recordBytes: 1024 * 1024, fieldBytes: 64 * 1024, columns: 256 };

function unreadable(file: string, error: unknown): unknown {
  const reasons: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    EACCES: "can't be read by this user",
  };
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const reason = reasons[code] ?? `can't be read (${code})`;
  return new AppError('IMPORT_FILE_INVALID', `The file ${file} ${reason}.`, { cause: error });
}

/** How much is read and parsed at a time: little enough that others get their turn in between. */
const readBytes = 16 * 1024;

/** The bytes of a file. @throws AppError `IMPORT_FILE_INVALID` when it can't be read */
export async function* fileBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: readBytes })) yield chunk as Buffer;
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

/** csv-parse's own messages quote the file's contents: what they mean is said without. */
const faults: Partial<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'has a quote in the middle of a field. Double it ("") and put the whole field in quotes',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote. Double the quotes inside the field ("")',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `has more than ${limits.recordBytes} bytes. Most likely a quote in it is never closed`,
};

/** csv-parse's error is no cause that could be kept: it holds what the file does. */
function fileFault(error: unknown, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  const fault = faults[error.code] ?? `is not valid CSV (${error.code})`;
  return new AppError('IMPORT_FILE_INVALID', `The row that begins on line ${line} ${fault}.`);
}

function assertWithinLimits({ line, cells }: CsvRow): void {
  if (cells.length > limits.columns)
    throw new AppError('IMPORT_FILE_INVALID', `Line ${line} has more than ${limits.columns} columns.`);
  const long = cells.findIndex((cell) => Buffer.byteLength(cell) > limits.fieldBytes);
  if (long >= 0)
    throw new AppError(
      'IMPORT_FILE_INVALID',
      `Line ${line}, column ${long + 1} has more than ${limits.fieldBytes} bytes.`,
    );
}

/** Keeps count of lines. csv-parse's own count takes a CRLF in quotes for two. */
class LineCounter {
  #next = 1;
  #blankLines = 0;

  /** The line on which the record at hand begins. @param blankLines how many blank lines there were up to it */
  current(blankLines: number): number {
    return this.#next + blankLines - this.#blankLines;
  }

  /** Passes over the record at hand. */
  pass(cells: readonly string[], blankLines: number): void {
    const lineBreaks = cells.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    this.#next = this.current(blankLines) + lineBreaks + 1;
    this.#blankLines = blankLines;
  }
}

/**
 * Reads comma-separated UTF-8 as a stream: memory doesn't grow with the file. Rows without any content are left out.
 * @throws AppError `IMPORT_FILE_INVALID` for what isn't CSV, with the line
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  const lines = new LineCounter();
  const options: Options<CsvRow, string[]> = {
    // Named, because csv-parse would take the first one it meets for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.recordBytes,
    on_record(record, info) {
      const row = { line: lines.current(info.empty_lines), cells: record.map(restoreCell) };
      lines.pass(record, info.empty_lines);
      assertWithinLimits(row);
      return row.cells.some((cell) => cell.trim() !== '') ? row : null;
    },
  };
  // csv-parse's types have no records of another shape without `columns`.
  const parser = parse(options as unknown as Options);
  const flow = pipeline(checkedUtf8(bytes), parser).catch((error: unknown) => error);
  try {
    for await (const row of parser) yield row as CsvRow;
  } catch (error) {
    throw fileFault(error, lines.current(parser.info.empty_lines));
  } finally {
    parser.destroy();
    await flow;
  }
}
