import { CsvError, Parser } from 'csv-parse';
import { AppError } from '../../errors.js';
import type { Delimiter } from '../../schemas/file-format.js';
import type { HeaderRules, SourceLimits, SourceRow } from '../table/table.js';
import { filledWidth } from '../table/text.js';
import { readCell } from '../write/cells.js';

const invalid = (message: string) => new AppError('IMPORT_FILE_INVALID', message);

/** A fault in our words: csv-parse's own messages quote the file's contents. */
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

/** csv-parse without the output queue of a stream, which costs more than parsing. */
class RecordParser extends Parser {
  #records: { cells: string[]; blankLines: number }[] = [];
  /** In bytes from the beginning. */
  recordsEnd = 0;

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.push({ cells: record, blankLines: this.info.empty_lines });
    this.recordsEnd = this.info.bytes;
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

/** As many columns as a sheet of a spreadsheet has. */
const maxBlankColumns = 16_384;

/** Rows with stray quotes: each is parsed again, with all that a quote has swallowed. */
const maxQuoteFaults = 100;

/** The faults of a row that may be no more than a quote too many. */
const quoteFaults = [
  'INVALID_OPENING_QUOTE',
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_QUOTE_NOT_CLOSED',
  'CSV_MAX_RECORD_SIZE',
];

/** The first two lines of a text, each without its line break, and where the second begins. */
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

/** Parses rows from bytes in UTF-8 without byte order mark. */
export class RowReader {
  #parser: RecordParser;
  readonly #limits: SourceLimits;
  readonly #rules: HeaderRules;
  readonly #delimiter: Delimiter;
  /** The line on which the next record begins. csv-parse counts a CRLF in quotes twice. */
  #nextLine: number;
  #lastLine = 0;
  #blankLines = 0;
  /** The bytes since the last record, and where they begin in those of the parser. */
  #unparsed: Buffer = Buffer.alloc(0);
  #unparsedStart = 0;
  /** The fault at which the parser has stopped; whether it is a stray quote is seen when the lines after it are there. */
  #parserError: CsvError | undefined;
  #quoteFaults = 0;
  /** Columns of the header; unknown before it. */
  #width: number | undefined;
  /** Columns that this program has added; unknown before the header. */
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
      // Listed, because csv-parse would otherwise accept only the first one that it finds.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: this.#limits.recordBytes,
    });
    // The callbacks report the error, too.
    parser.on('error', () => undefined);
    return parser;
  }

  /**
   * Parses the next chunk.
   * @param bytes absent at the end of the file
   * @returns the complete rows, and the fault after them, if there is one
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
    // csv-parse bounds only the text of a record: one with more bytes than its longest text can take has too many fields.
    else if (this.#unparsed.length > 3 * (this.#limits.recordBytes + this.#limits.columns))
      throw this.#tooManyColumnsError();
  }

  /**
   * Takes the line at which the parser has stopped for a row with a stray quote, if it and the line after it have as many
   * cells as the header, and goes on with the lines after it.
   * @returns whether it has gone on; if not, more of the file is needed
   * @throws AppError `IMPORT_FILE_INVALID` where the row can't be told from the others
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

  /** The cells of a line in which quotes mean nothing. */
  #cellsOf(line: string): string[] {
    return line.split(this.#delimiter);
  }

  /** The line on which the last record so far ends. */
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
    // Spreadsheets save blank columns at the right as well.
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
