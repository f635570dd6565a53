import type { Import } from '../../../db/models/import.js';
import type { Table, TableColumn, TableRow } from '../../../tables/write/table.js';
import type { Core, Identity } from '../../core.js';
import {
  assertLedgerReadable,
  beforeFirstLine,
  type KeptCode,
  type LedgerLine,
  ledgerAfter,
  shownLine,
} from '../store/ledger.js';
import { shownKeptCode, visibleAccounts } from '../store/trainer-imports.js';

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

/** Returns lines as a reader may see them: trainers see no phones, and only the accounts in their courses. */
async function shownTo(core: Core, reader: Identity, lines: readonly LedgerLine[]): Promise<readonly LedgerLine[]> {
  if (reader.role === 'super_admin') return lines;
  const ids = lines.flatMap(({ row }) => row.userId ?? []);
  const visible = new Set(await visibleAccounts(core, reader, ids));
  return lines.map((line) => {
    const { userId, undoCode } = line.row;
    line.row.set({
      userId: visible.has(userId ?? '') ? userId : null,
      // Only kept accounts and deleted ones have a code.
      undoCode: undoCode && shownKeptCode(reader, undoCode as KeptCode),
    });
    return line.row.userId === null
      ? { row: line.row, firstName: null, lastName: null, email: null, phone: null }
      : { ...line, phone: null };
  });
}

/**
 * Returns the ledger of an import with the current accounts, as a reader may see it.
 * @throws AppError `IMPORT_ROWS_DELETED` if the ledger was deleted. `next` throws this error, too, if the ledger is deleted
 *   during the export: otherwise, rows would be missing.
 */
export function ledgerTable(core: Core, reader: Identity, record: Import): Table {
  const { id } = record;
  assertLedgerReadable(record);
  let after = beforeFirstLine;
  return {
    sheet: 'Rows',
    columns,
    async next() {
      const lines = await ledgerAfter(core, id, after);
      after = lines.at(-1)?.row.line ?? after;
      if (lines.length > 0) return (await shownTo(core, reader, lines)).map(ledgerRow);
      const now = await core.database.read(() => core.database.models.Import.findByPk(id));
      if (now) assertLedgerReadable(now);
      return undefined;
    },
  };
}
