import { protectPhone } from '../tables/write/cells.js';
import type { Table, TableColumn } from '../tables/write/table.js';
import type { XlsxValue } from '../tables/write/xlsx.js';

/** A column of an export: what a row has in it, and how it is written. */
export interface ExportColumn<Row> extends Omit<TableColumn, 'heading'> {
  value(row: Row): XlsxValue;
}

interface ExportSource<Row, Field extends string> {
  /** The name of the sheet of a workbook. */
  sheet: string;
  /** The columns that are wanted, in their order. */
  fields: readonly Field[];
  columnOf(field: Field): ExportColumn<Row>;
  /** The rows that follow the one with this id, in the order of ids: as many as memory may hold. None after the last one. */
  rowsAfter(id: string): Promise<readonly Row[]>;
}

/** Called with the number of rows of each batch. */
export type OnExported = (rows: number) => void;

/** Rows as a table that is written once. They are read as they are written. */
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

/** How phones are written, so that spreadsheets keep them as they are. */
export const phoneColumn = { isText: true, csvCell: protectPhone };
