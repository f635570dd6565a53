import type { CsvFormat } from '../write/csv.js';

/** A record of a CSV file, or a row of a sheet. */
export interface SourceRow {
  /** Line on which the record begins, or number of the row in the sheet, from 1. */
  line: number;
  cells: string[];
  /** Fault of the row's quotes. Cells are then split at each delimiter, ignoring quotes. */
  quoteFault?: string;
  /** Whether the row of a sheet is filtered out or hidden by hand. */
  isHidden?: boolean;
  /** Columns of a sheet with a formula whose result isn't in the file, from 0. Their cells are blank. */
  uncalculatedColumns?: readonly number[];
  /** Columns of a sheet with a long number, from 0. */
  longNumberColumns?: readonly number[];
}

/** Limits against malformed and hostile files. */
export interface SourceLimits {
  fieldBytes: number;
  recordBytes: number;
  columns: number;
}

/** Functions that recognize headers. The caller provides them, because it knows the headings. */
export interface HeaderRules {
  /** Counts the different known headings in a line. */
  countKnown(cells: readonly string[]): number;
  /** Rates a line as a header: 0 if it isn't like a header, infinite if all required columns are found. */
  score(cells: readonly string[]): number;
  /** Counts the columns that this program added to a table. Limits don't count them. */
  countAdded(header: readonly string[]): number;
  readonly maxAddedColumns: number;
}

/** Number of rows after the first that may be the header instead: titles and notes above a table have fewer rows. */
export const maxRowsAboveHeader = 20;

/** A warning about something that was removed or skipped above or around a table. */
export interface TableWarning {
  code: 'LINES_QUOTED' | 'VERSION_LINE' | 'LINES_ABOVE' | 'SHEETS_NOT_READ';
  message: string;
  example?: string;
}

export interface Sheet {
  name: string;
  isHidden: boolean;
}

export interface WorkbookFormat {
  kind: 'xlsx' | 'ods';
  sheet: string;
  /** All sheets, in the order of the workbook. */
  sheets: readonly Sheet[];
}

/** Format of an imported file. Reports get the same encoding and delimiter, or defaults for a workbook. */
export interface SourceFormat extends CsvFormat {
  workbook: WorkbookFormat | null;
}

export interface SourceTable {
  format: SourceFormat;
  header: string[];
  headerLine: number;
  /** Indexes of hidden columns, from 0. */
  hiddenColumns: readonly number[];
  warnings: readonly TableWarning[];
  /** First rows, up to the first unreadable row. They show what the columns contain. */
  first: readonly SourceRow[];
  /**
   * The rows below the header, without blank rows, in one list for each chunk of the source. For a fault, it throws
   * `IMPORT_FILE_INVALID` with the line, after it has yielded the rows before that line.
   */
  rows: AsyncGenerator<SourceRow[]>;
  /** Returns the number of the last line, after all rows were read. */
  lines(): number;
  /** Returns the rows that are merged with cells above them, after all rows were read. */
  mergedLines(): readonly number[];
  close(): Promise<void>;
}

/**
 * Reads the first items of a source. Returns them, and an iterator over all items. The iterator throws an error of the source
 * after the items before it.
 */
export async function readAhead<Item>(source: AsyncGenerator<Item>, isEnough: (first: readonly Item[]) => boolean) {
  const first: Item[] = [];
  let end: { error?: unknown } | undefined;
  try {
    while (end === undefined && !isEnough(first)) {
      const next = await source.next();
      if (next.done) end = {};
      else first.push(next.value);
    }
  } catch (error) {
    end = { error };
  }
  async function* all() {
    yield* first;
    if (end === undefined) yield* source;
    else if ('error' in end) throw end.error;
  }
  return { first, isWhole: end !== undefined && !('error' in end), all: all() };
}

export const sumLengths = (parts: readonly { length: number }[]) => parts.reduce((sum, { length }) => sum + length, 0);

/** Number of first rows that show what the columns contain. */
export const firstRowCount = 200;

export async function* rowsAfter(lists: AsyncIterable<SourceRow[]>, line: number): AsyncGenerator<SourceRow[]> {
  for await (const list of lists) {
    const below = list.filter((row) => row.line > line);
    if (below.length > 0) yield below;
  }
}
