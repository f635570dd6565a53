import type { Import } from '../../../db/models/import.js';
import type { Table, TableColumn, TableRow } from '../../../tables/write/table.js';
import type { Core } from '../../core.js';
import { assertLedgerReadable, beforeFirstLine, type LedgerLine, ledgerAfter, shownLine } from '../store/ledger.js';

const ledgerHeader = [
  'line',
  'outcome',
  'code',
  'reason',
  'userId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'undo',
  'undoCode',
];

const columns: readonly TableColumn[] = ledgerHeader.map((heading) => ({ heading, isText: heading === 'phone' }));

function ledgerRow({ row, firstName, lastName, email, phone }: LedgerLine): TableRow {
  const outcome = [shownLine(row.line), row.outcome, row.code, row.reason, row.userId];
  return [...outcome, firstName, lastName, email, phone, row.undoOutcome, row.undoCode];
}

/**
 * Returns the ledger of an import with the current accounts.
 * @throws AppError `IMPORT_ROWS_DELETED` if the ledger was deleted. `next` throws this error, too, if the ledger is deleted
 *   during the export: otherwise, rows would be missing.
 */
export function ledgerTable(core: Core, record: Import): Table {
  const { id } = record;
  assertLedgerReadable(record);
  let after = beforeFirstLine;
  return {
    sheet: 'Rows',
    columns,
    async next() {
      const lines = await ledgerAfter(core, id, after);
      after = lines.at(-1)?.row.line ?? after;
      if (lines.length > 0) return lines.map(ledgerRow);
      const now = await core.database.read(() => core.database.models.Import.findByPk(id));
      if (now) assertLedgerReadable(now);
      return undefined;
    },
  };
}
