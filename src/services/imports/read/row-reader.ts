import { CsvError, Parser } from 'csv-parse';
import { readCell } from '../../../csv/cells.js';
import { AppError } from '../../../errors.js';
import type { Delimiter } from '../../../schemas/import.js';
import { addedColumns, rejectColumns } from './columns.js';

/** One record of a CSV file. */
export interface CsvRow {
  /** Number of the line on which it begins, from 1. */
  line: number;
  cells: string[];
}

/** Bounds against malformed and hostile files. */
export interface CsvLimits {
  fieldBytes: number;
  recordBytes: number;
  columns: number;
}

const invalid = (message: string) => new AppError('IMPORT_FILE_INVALID', message);

/** A fault in our words: csv-parse's own messages quote the file's contents. */
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

/** csv-parse without the output queue of a stream, which costs more than parsing. */
class RecordParser extends Parser {
  #records: { cells: string[]; blankLines: number }[] = [];

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.push({ cells: record, blankLines: this.info.empty_lines });
    // Every record counts as the first: for a record with another number of cells than the first, csv-parse creates an error
    // with a stack and a copy of the record, and then ignores it. That takes a hundred times as long as parsing the record.
    Object.assign(this.info, { records: 0 });
    return true;
  }

  /** The records since the last call, each with the number of all blank lines before it. */
  takeRecords(): { cells: string[]; blankLines: number }[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

/** Parses rows from bytes in UTF-8 without byte order mark. */
export class RowReader {
  readonly #parser: RecordParser;
  readonly #limits: CsvLimits;
  /** The line on which the next record begins. csv-parse counts a CRLF in quotes twice. */
  #nextLine: number;
  #lastLine = 0;
  #blankLines = 0;
  #bytesSinceLine = 0;
  /** How many columns a rejects file has added; unknown before the header. */
  #addedColumns: number | undefined;

  constructor(delimiter: Delimiter, line: number, limits: CsvLimits) {
    this.#nextLine = line;
    this.#limits = limits;
    this.#parser = new RecordParser({
      delimiter,
      // Listed, because csv-parse would otherwise accept only the first one that it finds.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: limits.recordBytes,
    });
    // The callbacks report the error, too.
    this.#parser.on('error', () => undefined);
  }

  /**
   * Parses the next chunk.
   * @param bytes absent at the end of the file
   * @returns the complete rows, and the fault after them, if there is one
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

  /** The line on which the last record so far ends. */
  get lastLine(): number {
    return this.#lastLine;
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
    this.#lastLine = this.#nextLine - 1;
    if (hasContent) rows.push({ line, cells });
  }

  #assertFieldFits(cell: string, index: number): void {
    if (Buffer.byteLength(cell) > this.#limits.fieldBytes)
      throw invalid(`Line ${this.#nextLine}, column ${index + 1} has more than ${this.#limits.fieldBytes} bytes.`);
  }

  /**
   * Bounds the number of fields of an unfinished record. csv-parse bounds only its text: a record with more bytes than its
   * longest text can take has too many fields.
   */
  #assertEnding(): void {
    const { recordBytes, columns } = this.#limits;
    if (this.#bytesSinceLine > 3 * (recordBytes + columns)) throw this.#tooWide();
  }

  #tooWide(): AppError {
    return invalid(`Line ${this.#nextLine} has more than ${this.#limits.columns} columns.`);
  }
}
