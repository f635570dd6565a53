import { CsvError, Parser } from 'csv-parse';
import { readCell } from '../../../csv/cells.js';
import { AppError } from '../../../errors.js';
import type { Delimiter } from '../../../schemas/import.js';
import { addedColumns, rejectColumns } from './columns.js';

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
    // Each record is the first: of one that has other cells than the first had, csv-parse would make an error, with a stack
    // and a copy of the record, and then pass it over. That takes a hundred times as long as reading the record.
    Object.assign(this.info, { records: 0 });
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
export class RowReader {
  readonly #parser: RecordParser;
  readonly #limits: CsvLimits;
  /** The line on which the next record begins. csv-parse's own count takes a CRLF in quotes for two. */
  #nextLine: number;
  #blankLines = 0;
  #bytesSinceLine = 0;
  /** What a rejects file has added to the columns of a file; unknown before the header. */
  #addedColumns: number | undefined;

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
    this.#addedColumns ??= addedColumns(record) < 0 ? 0 : rejectColumns.length;
    if (record.length > this.#limits.columns + this.#addedColumns) throw this.#tooWide();
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
