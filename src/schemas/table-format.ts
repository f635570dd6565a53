import * as fields from './fields.js';
import Joi from './joi.js';

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

export const tableQuery = { format: tableFormat.default('csv') };

/** Query of tables without filters. */
export const tableQuerySchema = Joi.object<TableQuery, true>(tableQuery);
