import { isAppError } from '../../../../errors.js';
import type { HeaderRules } from '../../../../tables/table/table.js';
import { indexOfAddedColumns, rejectColumns } from '../fields/headings.js';
import { type ColumnOptions, mapColumns } from './columns.js';
import { areMappedHeadings, countKnownFields } from './header-refusals.js';

/** Returns the rules for headers of people. @param options mappings, and columns that may be missing */
export const headerRules = ({ map = [], ...options }: ColumnOptions = {}): HeaderRules => ({
  countKnown: countKnownFields,
  score(cells) {
    try {
      // The rows below aren't needed to tell whether the header fits.
      mapColumns(cells, map, [], options);
      return Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!isAppError(error, 'IMPORT_FILE_INVALID', 'USAGE')) throw error;
      const known = countKnownFields(cells);
      // A single known word may be part of a title, or of a row.
      return known > 1 || areMappedHeadings(cells, map) ? known : 0;
    }
  },
  countAdded: (header) => (indexOfAddedColumns(header) < 0 ? 0 : rejectColumns.length),
  maxAddedColumns: rejectColumns.length,
});
