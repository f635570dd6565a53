import { isAppError } from '../../../../errors.js';
import { requiredColumns } from '../../../../schemas/import.js';
import type { HeaderRules } from '../../../../tables/table/table.js';
import { indexOfAddedColumns, rejectColumns } from '../fields/headings.js';
import { type ColumnOptions, mapColumns } from './columns.js';
import { areMappedHeadings, countKnownFields } from './header-refusals.js';

/** Headers of people. @param options columns that may be missing, and the fields of others */
export const headerRules = ({ map = [], ...options }: ColumnOptions = {}): HeaderRules => ({
  countKnown: countKnownFields,
  score(cells) {
    try {
      // Without the rows below, which only tell more than whether it fits.
      mapColumns(cells, map, [], requiredColumns(options));
      return Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!isAppError(error, 'IMPORT_FILE_INVALID', 'USAGE')) throw error;
      const known = countKnownFields(cells);
      // One word may stand in a title, or in a row.
      return known > 1 || areMappedHeadings(cells, map) ? known : 0;
    }
  },
  countAdded: (header) => (indexOfAddedColumns(header) < 0 ? 0 : rejectColumns.length),
  maxAddedColumns: rejectColumns.length,
});
