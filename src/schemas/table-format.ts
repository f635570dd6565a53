import * as fields from './fields.js';
import Joi from './joi.js';
import { severalOf } from './listing.js';

export const tableFormats = ['csv', 'xlsx'] as const;
export type TableFormat = (typeof tableFormats)[number];

export const isWorkbookName = (file: string): boolean => /\.xlsx$/i.test(file);

/** Parameter of operations that respond with a table. */
export const tableFormat = fields
  .oneOf('format', tableFormats)
  .description('`csv`, or `xlsx` for an Excel workbook')
  .example('xlsx');

export interface TableQuery {
  format: TableFormat;
}

const tableQuery = { format: tableFormat.default('csv') };

/** Query of tables without filters. */
export const tableQuerySchema = Joi.object<TableQuery, true>(tableQuery);

/** Query of an export, besides its filters. */
export interface ExportQuery<Field extends string = string> extends TableQuery {
  /** Columns, in this order; all by default. */
  fields?: Field[];
}

/** Query parameters of an export with a choice of columns. */
export const exportQuery = (columns: readonly string[]) => ({
  fields: severalOf('fields', columns).description(
    'The columns, in this order; several are separated by commas. All by default',
  ),
  ...tableQuery,
});
