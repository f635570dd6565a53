import type { SourceTable } from '../../../tables/table/table.js';
import { type ColumnMapping, type ColumnOptions, mapTableColumns } from './columns/columns.js';
import type { RowWarning } from './fields/warnings.js';

export interface PeopleTable
  extends Pick<SourceTable, 'format' | 'header' | 'rows' | 'lines' | 'mergedLines' | 'close'> {
  mapping: ColumnMapping;
  warnings: readonly RowWarning[];
}

/**
 * Finds the fields of a table's columns. Closes the table if its header can't be used.
 * @throws AppError `IMPORT_FILE_INVALID` for an unusable header, `USAGE` for mappings that don't fit it
 */
export async function mapPeopleTable(
  { headerLine: _, first, hiddenColumns, warnings, ...table }: SourceTable,
  options: ColumnOptions,
): Promise<PeopleTable> {
  try {
    const mapping = mapTableColumns({ header: table.header, first, hiddenColumns }, options);
    const ofTable = warnings.map((warning): RowWarning => ({ ...warning, field: null }));
    return { ...table, mapping, warnings: [...ofTable, ...mapping.warnings] };
  } catch (error) {
    await table.close();
    throw error;
  }
}
