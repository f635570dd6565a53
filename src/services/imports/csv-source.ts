import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { AppError, systemErrorCode } from '../../errors.js';
import { restoreCell } from './cells.js';

/** One record of a file. */
export interface CsvRow {
  /** Number of the line on which it begins, from 1. */
  line: number;
  cells: string[];
}

/** Bounds against files that aren't what they seem, in bytes and columns. */
const limits = { recordBytes: 1024 * 1024, fieldBytes: 64 * 1024, columns: 256 };

const countMatches = (cells: readonly string[], pattern: RegExp) =>
  cells.reduce((count, cell) => count + (cell.match(pattern)?.length ?? 0), 0);

/** The bytes of a file. @throws AppError `IMPORT_FILE_INVALID` when it can't be read */
export async function* fileBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    const reasons: Record<string, string> = {
      ENOENT: 'does not exist',
      EISDIR: 'is a folder',
      EACCES: "can't be read by this user",
    };
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} ${reasons[code] ?? `can't be read (${code})`}.`, {
      cause: error,
    });
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

/** Index of the first byte that doesn't decode; a character cut off at the start is passed over. */
function firstUndecodable(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
  let index = 0;
  while (index < 3 && isContinuation(bytes[index])) index += 1;
  try {
    for (; index < bytes.length; index += 1) decoder.decode(bytes.subarray(index, index + 1), { stream: true });
  } catch {
    // Expected: this is the byte that was looked for.
  }
  return index;
}

/** Decodes UTF-8, with or without a byte order mark. @throws AppError `IMPORT_FILE_INVALID` naming line and byte of what isn't */
async function* decodedUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const undecodable = (line: number, byte: number) =>
    new AppError(
      'IMPORT_FILE_INVALID',
      `The file is not UTF-8: line ${line}, byte ${byte} can't be decoded. Save it as "CSV UTF-8" and import it again.`,
    );
  // The chunk before, because a character may be cut in two at its end; and what came before that.
  let previous: Buffer = Buffer.alloc(0);
  let [line, offset] = [1, 0];
  for await (const chunk of bytes) {
    try {
      yield decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const window = Buffer.concat([previous, chunk]);
      const bad = firstUndecodable(window);
      throw undecodable(line + countLines(window.subarray(0, bad)), offset + bad + 1);
    }
    line += countLines(previous);
    offset += previous.length;
    previous = chunk;
  }
  try {
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw undecodable(line + countLines(previous), offset + previous.length);
  }
}

/** csv-parse's own messages quote the file's contents: what they mean is said without. */
const faults: Partial<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'has a quote in the middle of a field. Double it ("") and put the whole field in quotes',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote. Double the quotes inside the field ("")',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_MAX_RECORD_SIZE: `belongs to a record of more than ${limits.recordBytes} bytes. Most likely a quote before it is never closed`,
};

function fileFault(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const fault = faults[error.code] ?? `is not valid CSV (${error.code})`;
  const line = typeof error.lines === 'number' ? `Line ${error.lines}` : 'A line';
  return new AppError('IMPORT_FILE_INVALID', `${line} ${fault}.`, { cause: error });
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

/**
 * Reads comma-separated UTF-8 as a stream: memory doesn't grow with the file. Rows without any content are left out.
 * @throws AppError `IMPORT_FILE_INVALID` for what isn't CSV, with the line
 */
export async function* readCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.recordBytes,
  });
  const source = Readable.from(decodedUtf8(bytes));
  // pipe() doesn't hand on errors: a decoder that fails must fail the parser.
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  // csv-parse counts a CRLF inside a field as two lines: how far its count has run ahead.
  let ahead = 0;
  try {
    for await (const entry of parser) {
      // With `info` csv-parse gives records of this shape; its types don't say so.
      const { record, info } = entry as { record: string[]; info: InfoRecord };
      const counted = countMatches(record, /[\r\n]/g);
      const row = { line: info.lines - ahead - counted, cells: record.map(restoreCell) };
      ahead += counted - countMatches(record, /\r\n|\r|\n/g);
      assertWithinLimits(row);
      if (row.cells.some((cell) => cell.trim() !== '')) yield row;
    }
  } catch (error) {
    throw fileFault(error);
  } finally {
    source.destroy();
  }
}
