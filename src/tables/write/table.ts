import type { TableFormat } from '../../schemas/table-format.js';
import { neutralizeCell } from './cells.js';
import { csvLine, headerWithByteOrderMark, rawLine } from './csv.js';
import { type XlsxColumn, type XlsxValue, xlsxBytes } from './xlsx.js';

export interface TableColumn extends XlsxColumn {
  /** Formats a text for a CSV cell. By default, {@link neutralizeCell} keeps spreadsheets from running it as a formula. */
  csvCell?: (text: string) => string;
}

export type TableRow = readonly XlsxValue[];

export interface Table {
  sheet: string;
  columns: readonly TableColumn[];
  /** Whether CSV is written without the byte order mark. Spreadsheets need the mark; other programs don't expect it. */
  omitsByteOrderMark?: boolean;
  /** Maximum rows of a workbook, including the header. Tests replace it. */
  maxRows?: number;
  /** Returns the next rows, or undefined after the last ones. CSV joins these rows to one chunk. */
  next(): Promise<readonly TableRow[] | undefined>;
}

const cellText = (value: XlsxValue) => (value instanceof Date ? value.toISOString() : String(value ?? ''));

function csvLineOf(row: TableRow, columns: readonly TableColumn[]): string {
  return rawLine(
    row.map((value, index) => {
      const text = cellText(value);
      return columns[index]?.csvCell?.(text) ?? neutralizeCell(text, index === 0);
    }),
  );
}

/** Writes a table as CSV in UTF-8. The header comes with the first rows, so nothing is written if the rows can't be read. */
export async function* csvPieces({
  columns,
  omitsByteOrderMark,
  ...table
}: Omit<Table, 'sheet'>): AsyncGenerator<string> {
  // A separate function, so that the rows are released while the text waits for its reader.
  const nextText = async () => (await table.next())?.map((row) => csvLineOf(row, columns)).join('');
  const headings = columns.map(({ heading }) => heading);
  let header = omitsByteOrderMark ? csvLine(headings) : headerWithByteOrderMark(headings);
  for (let text = await nextText(); text !== undefined; text = await nextText()) {
    yield header + text;
    header = '';
  }
  yield header;
}

async function* rowsOf(table: Table): AsyncGenerator<TableRow> {
  for (let rows = await table.next(); rows; rows = await table.next()) yield* rows;
}

/** Writes a table as CSV or as an Excel workbook, chunk by chunk: memory doesn't grow with the rows. */
export function tablePieces(table: Table, format: TableFormat): AsyncGenerator<string | Uint8Array> {
  return format === 'csv' ? csvPieces(table) : xlsxBytes({ ...table, rows: rowsOf(table) });
}

/** Returns a table whose rows are all in memory. */
export function smallTable(sheet: string, columns: readonly TableColumn[], rows: readonly TableRow[]): Table {
  const batches = [rows];
  return { sheet, columns, next: async () => batches.shift() };
}
