import type { CsvFormat } from '../write/csv.js';

/** A record of a CSV file, or a row of a sheet. */
export interface SourceRow {
  /** The line on which it begins, or the number of the row in the sheet, from 1. */
  line: number;
  cells: string[];
  /** What is wrong with its quotes: its cells are split at each delimiter. */
  quoteFault?: string;
  /** In a sheet: filtered out, or hidden by hand. */
  isHidden?: boolean;
  /** In a sheet: columns with a formula whose result isn't in the file, from 0. Their cells are blank. */
  uncalculatedColumns?: readonly number[];
  /** In a sheet: columns with a long number, from 0. */
  longNumberColumns?: readonly number[];
}

/** Bounds against malformed and hostile files. */
export interface SourceLimits {
  fieldBytes: number;
  recordBytes: number;
  columns: number;
}

/** Knowledge of headers. Meanings of columns are the caller's. */
export interface HeaderRules {
  /** Counts the different headings in a line that are known. */
  countKnown(cells: readonly string[]): number;
  /** How well a line is a header: 0 where it isn't like one, infinite where all columns are found. */
  score(cells: readonly string[]): number;
  /** Counts the columns that this program has added to a table, which limits don't count. */
  countAdded(header: readonly string[]): number;
  readonly maxAddedColumns: number;
}

/** Rows below the first that may be the header: titles and notes above a table are shorter. */
export const maxRowsAboveHeader = 20;

/** Something that was taken off, or left out, above and around a table. */
export interface TableWarning {
  code: 'LINES_QUOTED' | 'VERSION_LINE' | 'LINES_ABOVE' | 'SHEETS_NOT_READ';
  message: string;
  example?: string;
}

/** A sheet of a workbook. */
export interface Sheet {
  name: string;
  isHidden: boolean;
}

/** The sheet of a workbook that is read. */
export interface WorkbookFormat {
  kind: 'xlsx' | 'ods';
  sheet: string;
  /** In the order of the workbook. */
  sheets: readonly Sheet[];
}

/** How a file is read. Reports are written in the encoding and with the delimiter of CSV, in those that are usual where it is a workbook. */
export interface SourceFormat extends CsvFormat {
  /** null for CSV. */
  workbook: WorkbookFormat | null;
}

/** An open file whose header was read. */
export interface SourceTable {
  format: SourceFormat;
  /** The cells of the header. */
  header: string[];
  headerLine: number;
  /** Columns that nobody sees, from 0. */
  hiddenColumns: readonly number[];
  warnings: readonly TableWarning[];
  /** The first rows, up to one that can't be read: they show what the columns are. */
  first: readonly SourceRow[];
  /**
   * The rows below the header, in one list for each chunk of the source; blank rows are left out. After the rows before
   * it, a fault throws `IMPORT_FILE_INVALID` with the line.
   */
  rows: AsyncGenerator<SourceRow[]>;
  /** Lines up to the last row, once all rows were read. */
  lines(): number;
  /** Rows that cells above are merged with, once all rows were read. */
  mergedLines(): readonly number[];
  /** Closes the source, even when not all rows were read. */
  close(): Promise<void>;
}

/** The first parts of a source until they are enough, and all parts again: an error follows the parts before it. */
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

/** Rows that decide what the columns are. */
export const firstRowCount = 200;

/** The rows below a line. */
export async function* rowsAfter(lists: AsyncIterable<SourceRow[]>, line: number): AsyncGenerator<SourceRow[]> {
  for await (const list of lists) {
    const below = list.filter((row) => row.line > line);
    if (below.length > 0) yield below;
  }
}
