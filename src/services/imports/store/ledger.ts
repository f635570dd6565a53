import { Op, type WhereOptions } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { ImportRow } from '../../../db/models/import-row.js';
import { AppError } from '../../../errors.js';
import type { Core } from '../../core.js';

const ledgerPage = 1000;

/** Trainers see `IN_USE` instead of the codes that describe the use of an account. */
export type KeptCode =
  | 'LOGGED_IN'
  | 'INVITE_ACCEPTED'
  | 'EDITED'
  | 'ENROLLED'
  | 'HAS_COURSES'
  | 'KEY_TAKEN'
  | 'COURSE_FULL'
  | 'GONE'
  | 'IN_USE';

/** Returns the line of a row; null for a member who left a roster, who has no row. */
export const shownLine = (line: number): number | null => (line < 0 ? null : line);

/** Less than every line of a ledger. */
export const beforeFirstLine = -2_147_483_648;

/** An account that undo kept, because it was used or changed since the import. */
export interface KeptAccount {
  /** Null for a member who left a roster. */
  line: number | null;
  userId: string;
  /** null if the account is gone. */
  email: string | null;
  code: KeptCode;
}

/** A row of the ledger with the person's name, email and phone. */
export interface LedgerLine {
  row: ImportRow;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
}

/**
 * @param consequence end of the message: an action that is impossible without the ledger, or where the exported rows are
 * @throws AppError `IMPORT_ROWS_DELETED` if the ledger was exported and deleted, or is being deleted. For an import without
 *   rows, if its file and its plan were deleted.
 */
export function assertLedgerKept({ number, rowsDone, ledgerClosedAt }: Import, consequence: string): void {
  if (ledgerClosedAt === null) return;
  const what =
    rowsDone > 0
      ? `The rows of the import ${number} were exported to files and deleted`
      : `The import ${number} has no rows, and what was kept to resume it was removed`;
  throw new AppError(
    'IMPORT_ROWS_DELETED',
    `${what} on ${ledgerClosedAt.toISOString()}, after IMPORT_RETENTION_DAYS: ${consequence}`,
  );
}

/** @throws AppError `IMPORT_ROWS_DELETED` if an unfinished import can't be resumed, see {@link assertLedgerKept} */
export function assertResumable(record: Import): void {
  const next = record.rowsDone > 0 ? 'import the remaining rows as a new file.' : 'import the file again.';
  assertLedgerKept(record, `it can't be resumed; ${next}`);
}

/** @throws AppError `IMPORT_ROWS_DELETED` if the ledger of an import was deleted */
export function assertLedgerReadable(record: Import): void {
  if (record.rowsDone > 0) assertLedgerKept(record, 'they are in the folder "retention" of DATA_DIR.');
}

/**
 * Returns the next rows of the ledger of an import in the order of the file, with the current accounts; empty at the end.
 * @param line the rows after this line are returned
 * @param only further conditions of the query
 */
export async function ledgerAfter(
  { database }: Core,
  importId: string,
  line: number,
  only: WhereOptions<ImportRow> = {},
): Promise<LedgerLine[]> {
  const { ImportRow, User } = database.models;
  return database.read(async () => {
    const where = { [Op.and]: [{ importId, line: { [Op.gt]: line } }, only] };
    const rows = await ImportRow.findAll({ where, order: ['line'], limit: ledgerPage });
    const users = await User.findAll({
      attributes: ['id', 'firstName', 'lastName', 'email', 'phone'],
      where: { id: rows.flatMap(({ userId }) => userId ?? []) },
    });
    const byId = new Map(users.map((user) => [user.id, user]));
    return rows.map((row) => {
      const { firstName = null, lastName = null, email = null, phone = null } = byId.get(row.userId ?? '') ?? {};
      return { row, firstName, lastName, email, phone };
    });
  });
}

/** Returns the id of a row's account. The row must not be rejected: only rejected rows may have no account. */
export function accountIdOf({ importId, line, userId }: ImportRow): string {
  if (userId === null) throw new Error(`Line ${line} of the import ${importId} changed no account.`);
  return userId;
}

export function countKept(core: Core, id: string): Promise<number> {
  const where = { importId: id, undoOutcome: 'kept' };
  return core.database.read(() => core.database.models.ImportRow.count({ where }));
}

/** Yields the accounts that an undo kept, with the reasons, in lists in the order of the file. */
export async function* keptAccounts(core: Core, id: string): AsyncGenerator<KeptAccount[]> {
  for (let after = beforeFirstLine; ; ) {
    const piece = await ledgerAfter(core, id, after, { undoOutcome: 'kept' });
    if (piece.length === 0) return;
    after = piece.at(-1)?.row.line ?? after;
    // Kept accounts always have this kind of code.
    const codeOf = (row: ImportRow) => row.undoCode as KeptAccount['code'];
    yield piece.map(({ row, email }) => ({
      line: shownLine(row.line),
      userId: accountIdOf(row),
      email,
      code: codeOf(row),
    }));
  }
}
