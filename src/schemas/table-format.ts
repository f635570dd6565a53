import * as fields from './fields.js';
import Joi from './joi.js';
import { severalOf } from './listing.js';

/** How a table is written: as CSV, or as an Excel workbook. */
export const tableFormats = ['csv', 'xlsx'] as const;
export type TableFormat = (typeof tableFormats)[number];

/** Whether a file of this name is a workbook. */
export const isWorkbookName = (file: string): boolean => /\.xlsx$/i.test(file);

/** The parameter of operations that answer with a table. */
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
  /** The columns, in this order; all by default. */
  fields?: Field[];
}

/** Parameters of an export whose columns can be chosen. */
export const exportQuery = (columns: readonly string[]) => ({
  fields: severalOf('fields', columns).description(
    'The columns, in this order; several are separated by commas. All by default',
  ),
  ...tableQuery,
});
