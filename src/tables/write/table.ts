import type { TableFormat } from '../../schemas/table-format.js';
import { neutralizeCell } from './cells.js';
import { csvLine, headerWithByteOrderMark, rawLine } from './csv.js';
import { type XlsxColumn, type XlsxValue, xlsxBytes } from './xlsx.js';

export interface TableColumn extends XlsxColumn {
  /** The cell in CSV for a text; by default one that no spreadsheet runs. */
  csvCell?: (text: string) => string;
}

export type TableRow = readonly XlsxValue[];

/** A table that is written once. */
export interface Table {
  /** The name of its sheet in a workbook. */
  sheet: string;
  columns: readonly TableColumn[];
  /** Whether its CSV is without the byte order mark that spreadsheets need: programs expect none. */
  omitsByteOrderMark?: boolean;
  /** Limit of rows of a workbook, with the header. Replaced by tests. */
  maxRows?: number;
  /** The next rows, of which CSV is one piece; nothing after the last ones. */
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

/** A table as CSV in UTF-8. The header comes with the first rows, so that nothing is written when they can't be read. */
export async function* csvPieces({
  columns,
  omitsByteOrderMark,
  ...table
}: Omit<Table, 'sheet'>): AsyncGenerator<string> {
  // A function of its own: while the text waits for its reader, the rows aren't kept.
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

/** A table as CSV or as an Excel workbook, piece by piece: memory doesn't grow with its rows. */
export function tablePieces(table: Table, format: TableFormat): AsyncGenerator<string | Uint8Array> {
  return format === 'csv' ? csvPieces(table) : xlsxBytes({ ...table, rows: rowsOf(table) });
}

/** A table of few rows. */
export function smallTable(sheet: string, columns: readonly TableColumn[], rows: readonly TableRow[]): Table {
  const batches = [rows];
  return { sheet, columns, next: async () => batches.shift() };
}
