import { CsvError, Parser } from 'csv-parse';
import { AppError } from '../../errors.js';
import type { Delimiter } from '../../schemas/file-format.js';
import type { HeaderRules, SourceLimits, SourceRow } from '../table/table.js';
import { filledWidth } from '../table/text.js';
import { readCell } from '../write/cells.js';

const invalid = (message: string) => new AppError('IMPORT_FILE_INVALID', message);

/** Completes the sentence "The row ..." for an error of csv-parse, whose own messages would quote the file's contents. */
function describeFault(code: string, limits: SourceLimits): string {
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

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const lineBreak = /\r\n|\r|\n/g;

/** Parser of csv-parse that collects records in a list. The output queue of a stream would take longer than the parsing. */
class RecordParser extends Parser {
  #records: { cells: string[]; blankLines: number }[] = [];
  /** End of the last record, in bytes from the beginning of the input. */
  recordsEnd = 0;

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.push({ cells: record, blankLines: this.info.empty_lines });
    this.recordsEnd = this.info.bytes;
    // Resets the count of records. csv-parse compares the width of each record with that of the first one. For each
    // difference it creates an error, which takes a hundred times as long as parsing, and then ignores the error.
    Object.assign(this.info, { records: 0 });
    return true;
  }

  /** Returns the records since the last call, each with the number of blank lines since the start of the parser. */
  takeRecords(): { cells: string[]; blankLines: number }[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

/** Maximum columns of a record, including blank ones: as many as a sheet of a spreadsheet has. */
const maxBlankColumns = 16_384;

/** Maximum rows with stray quotes. Such a quote swallows the following lines, which are then parsed again. */
const maxQuoteFaults = 100;

/** Codes of csv-parse for rows that may merely have a stray quote. */
const quoteFaults = [
  'INVALID_OPENING_QUOTE',
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_QUOTE_NOT_CLOSED',
  'CSV_MAX_RECORD_SIZE',
];

/** Returns the first two lines of a text without their line breaks, and the index at which the second one begins. */
function readFirstLines(text: string): {
  line: string;
  next: string | undefined;
  nextStart: number;
  isComplete: boolean;
} {
  const [first, second] = text.matchAll(lineBreak);
  const nextStart = first === undefined ? text.length : first.index + first[0].length;
  return {
    line: text.slice(0, first?.index),
    next: first === undefined ? undefined : text.slice(nextStart, second?.index),
    nextStart,
    isComplete: second !== undefined,
  };
}

export class RowReader {
  #parser: RecordParser;
  readonly #limits: SourceLimits;
  readonly #rules: HeaderRules;
  readonly #delimiter: Delimiter;
  /** Line on which the next record begins. csv-parse can't tell: it counts a CRLF in quotes twice. */
  #nextLine: number;
  #lastLine = 0;
  #blankLines = 0;
  /** Bytes after the last complete record. */
  #unparsed: Buffer = Buffer.alloc(0);
  /** Offset of these bytes in the input of the current parser. */
  #unparsedStart = 0;
  /** Fault that stopped the parser. Only the following lines tell whether the fault is a stray quote. */
  #parserError: CsvError | undefined;
  #quoteFaults = 0;
  /** Number of columns of the header; undefined before the header. */
  #width: number | undefined;
  /** Number of columns that an earlier import added, if this is its file of rejected rows; undefined before the header. */
  #addedColumns: number | undefined;

  constructor(delimiter: Delimiter, line: number, limits: SourceLimits, rules: HeaderRules) {
    this.#nextLine = line;
    this.#limits = limits;
    this.#rules = rules;
    this.#delimiter = delimiter;
    this.#parser = this.#newParser();
  }

  #newParser(): RecordParser {
    const parser = new RecordParser({
      delimiter: this.#delimiter,
      // By default, csv-parse accepts only the first kind of line break that it finds.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: this.#limits.recordBytes,
    });
    // Node throws errors without a listener. The callbacks of `write` and `end` handle them.
    parser.on('error', () => undefined);
    return parser;
  }

  /**
   * Parses the next chunk. Never throws.
   * @param bytes the chunk; absent at the end of the file
   * @returns the complete rows, and the fault after these rows, if any
   */
  async read(bytes?: Buffer): Promise<{ rows: SourceRow[]; fault?: unknown }> {
    const rows: SourceRow[] = [];
    try {
      if (this.#parserError === undefined) await this.#parse(bytes, rows);
      else if (bytes !== undefined) this.#unparsed = Buffer.concat([this.#unparsed, bytes]);
      while (
        this.#parserError !== undefined &&
        (await this.#recoverFromQuoteFault(this.#parserError, bytes === undefined, rows))
      );
      return { rows };
    } catch (fault) {
      this.close();
      return { rows, fault };
    }
  }

  async #parse(bytes: Buffer | undefined, rows: SourceRow[]): Promise<void> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (bytes === undefined) this.#parser.end(resolve);
      else this.#parser.write(bytes, resolve);
    });
    for (const { cells, blankLines } of this.#parser.takeRecords()) {
      this.#advancePastBlankLines(blankLines);
      this.#add(cells, rows);
    }
    this.#advancePastBlankLines(this.#parser.info.empty_lines);
    const all = bytes === undefined ? this.#unparsed : Buffer.concat([this.#unparsed, bytes]);
    const rest = all.subarray(Math.max(0, this.#parser.recordsEnd - this.#unparsedStart));
    const text = rest.findIndex((byte) => byte !== lineFeed && byte !== carriageReturn);
    this.#unparsed = rest.subarray(text < 0 ? rest.length : text);
    this.#unparsedStart += all.length - this.#unparsed.length;
    if (error instanceof CsvError) this.#parserError = error;
    else if (error) throw error;
    // csv-parse limits the characters in the cells of a record: up to 3 bytes each. A cell has up to 3 more bytes, for two
    // quotes and a delimiter. A record with more bytes has too many columns.
    else if (this.#unparsed.length > 3 * (this.#limits.recordBytes + this.#limits.columns))
      throw this.#tooManyColumnsError();
  }

  /**
   * Treats the line that stopped the parser as a row with a stray quote, and continues after that line. This requires that
   * the line and the next one have as many cells as the header.
   * @returns whether parsing continued; false if more of the file is needed
   * @throws AppError `IMPORT_FILE_INVALID` if the row can't be separated from the next ones
   */
  async #recoverFromQuoteFault(error: CsvError, isEnd: boolean, rows: SourceRow[]): Promise<boolean> {
    const fault = `The row that begins on line ${this.#nextLine} ${describeFault(error.code, this.#limits)}.`;
    const text = this.#unparsed.toString();
    const { line, next, nextStart, isComplete } = readFirstLines(text);
    const isLong = !isComplete && text.length > this.#limits.recordBytes;
    if (!isComplete && !isEnd && !isLong) return false;
    this.#quoteFaults += 1;
    const agree = [line, ...(next ? [next] : [])].every((one) => this.#cellsOf(one).length === this.#width);
    if (!agree || isLong || !quoteFaults.includes(error.code) || this.#quoteFaults > maxQuoteFaults)
      throw invalid(fault);
    rows.push({
      line: this.#nextLine,
      cells: this.#cellsOf(line),
      quoteFault: describeFault(error.code, this.#limits),
    });
    this.#lastLine = this.#nextLine;
    this.#nextLine += 1;
    this.close();
    this.#parser = this.#newParser();
    this.#parserError = undefined;
    [this.#blankLines, this.#unparsedStart, this.#unparsed] = [0, 0, Buffer.alloc(0)];
    const rest = Buffer.from(text.slice(nextStart));
    if (rest.length > 0) await this.#parse(rest, rows);
    if (isEnd && this.#parserError === undefined) await this.#parse(undefined, rows);
    return true;
  }

  /** Splits a line at each delimiter, ignoring quotes. */
  #cellsOf(line: string): string[] {
    return line.split(this.#delimiter);
  }

  get lastLine(): number {
    return this.#lastLine;
  }

  close(): void {
    this.#parser.destroy();
  }

  #advancePastBlankLines(before: number): void {
    this.#nextLine += before - this.#blankLines;
    this.#blankLines = before;
  }

  #add(record: readonly string[], rows: SourceRow[]): void {
    const line = this.#nextLine;
    let lineBreaks = 0;
    let hasContent = false;
    this.#width ??= record.length;
    this.#addedColumns ??= this.#rules.countAdded(record);
    const columns = this.#limits.columns + this.#addedColumns;
    // Spreadsheets also save blank columns after the last filled one. If a row has too many columns, these are removed.
    const kept = record.length > columns ? record.slice(0, filledWidth(record)) : record;
    if (kept.length > columns || record.length > maxBlankColumns) throw this.#tooManyColumnsError();
    const cells = kept.map((raw, index) => {
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

  #tooManyColumnsError(): AppError {
    return invalid(`Line ${this.#nextLine} has more than ${this.#limits.columns} columns.`);
  }
}
