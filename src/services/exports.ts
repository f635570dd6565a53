import { protectPhone } from '../tables/write/cells.js';
import type { Table, TableColumn } from '../tables/write/table.js';
import type { XlsxValue } from '../tables/write/xlsx.js';

/** Column of an export: the value of a row, and its format. */
export interface ExportColumn<Row> extends Omit<TableColumn, 'heading'> {
  value(row: Row): XlsxValue;
}

interface ExportSource<Row, Field extends string> {
  sheet: string;
  /** Wanted columns, in order. */
  fields: readonly Field[];
  columnOf(field: Field): ExportColumn<Row>;
  /** Reads the next rows after an id, in the order of ids, as many as memory may hold. Returns an empty list at the end. */
  rowsAfter(id: string): Promise<readonly Row[]>;
}

/** Called with the number of rows of each batch. */
export type OnExported = (rows: number) => void;

/** Returns rows as a table that can be written only a single time. Reads the rows while the table is written. */
export function exportTable<Row extends { id: string }, Field extends string>(
  { sheet, fields, columnOf, rowsAfter }: ExportSource<Row, Field>,
  onExported: OnExported = () => undefined,
): Table {
  const columns = fields.map((heading) => ({ heading, ...columnOf(heading) }));
  let after = '';
  return {
    sheet,
    columns,
    async next() {
      const rows = await rowsAfter(after);
      after = rows.at(-1)?.id ?? after;
      if (rows.length === 0) return undefined;
      onExported(rows.length);
      return rows.map((row) => columns.map(({ value }) => value(row)));
    },
  };
}

/** Format of phones that spreadsheets don't change. */
export const phoneColumn = { isText: true, csvCell: protectPhone };
