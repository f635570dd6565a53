import { Op, type WhereOptions } from 'sequelize';
import type { Lease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { type ImportRow, parseUndoNote } from '../../db/models/import-row.js';
import { hasLedger } from '../../db/sql/conditions.js';
import type { ImportStatus } from '../../schemas/import.js';
import type { Core } from '../core.js';
import { hasActiveLease } from '../imports/store/find-import.js';
import {
  assertLeaseHeld,
  type ExportResult,
  exportRows,
  type OldRows,
  retentionStart,
  withRetentionLease,
} from './retention.js';

/** Statuses of imports that have ended and were not undone. Any other import may still need its ledger, at any age. */
const ended: readonly ImportStatus[] = ['completed', 'stopped', 'failed', 'cancelled'];

/**
 * Matches imports that ended or were undone before a time. Also matches imports with rows whose ledger was closed by a
 * killed run. Imports without rows match too, because they keep their file and plan for a resumption until the ledger
 * is closed.
 */
function dueCondition({ database }: Core, before: Date): WhereOptions<Import> {
  const isOld = { [Op.lt]: before };
  return {
    [Op.or]: [
      { status: [...ended], finishedAt: isOld, ledgerClosedAt: null },
      // An import that was interrupted and then undone has no `finishedAt`.
      { status: 'undone', undoneAt: isOld, ledgerClosedAt: null },
      { [Op.and]: [{ ledgerClosedAt: { [Op.ne]: null } }, hasLedger(database.sequelize)] },
    ],
  };
}

function dueImports(core: Core, before: Date): Promise<Import[]> {
  const { models, read } = core.database;
  return read(() => models.Import.findAll({ where: dueCondition(core, before), order: ['id'] }));
}

/** Counts the imports that ended longer ago than the retention, and their rows. @param days retention in days */
export async function countOldLedgers(core: Core, days: number): Promise<{ imports: number; exported: number }> {
  const { ImportRow } = core.database.models;
  const records = await dueImports(core, retentionStart(core, days));
  let exported = 0;
  for (const { id } of records)
    exported += await core.database.read(() => ImportRow.count({ where: { importId: id } }));
  return { imports: records.length, exported };
}

/**
 * Exports the ledgers of imports that ended longer ago than the retention, each to a separate file, then deletes them:
 * see {@link exportRows}. A ledger is closed first, so that the import can't be undone or resumed during the export.
 * The cleanups then remove the import's file and plan.
 * @param days retention in days
 * @returns `imports`: number of imports whose ledger was deleted or, without rows, closed; and the exported rows
 * @throws AppError `RETENTION_RUNNING` while another process exports, and the errors of {@link exportRows}
 */
export function pruneLedgers(
  core: Core,
  days: number,
  signal: AbortSignal,
): Promise<ExportResult & { imports: number }> {
  return withRetentionLease(core, async (lease) => {
    const before = retentionStart(core, days);
    const result = { imports: 0, exported: 0, files: [] as string[] };
    for (const { id } of await dueImports(core, before)) {
      const record = await closeLedger(core, lease, id, before);
      if (!record) continue;
      const { exported, files } = await exportRows(core, lease, ledgerOf(core, record), signal);
      result.imports += 1;
      result.exported += exported;
      result.files.push(...files);
    }
    return result;
  });
}

/**
 * Closes the ledger of an import, unless the import is being resumed or undone.
 * @returns the import with its closed ledger; undefined if the ledger stays open
 */
function closeLedger(core: Core, lease: Lease, id: string, before: Date): Promise<Import | undefined> {
  return core.database.inTransaction(async (transaction) => {
    await assertLeaseHeld(lease, transaction);
    const where = { [Op.and]: [{ id }, dueCondition(core, before)] };
    const lock = transaction.LOCK.UPDATE;
    const record = await core.database.models.Import.findOne({ where, transaction, lock });
    if (!record || record.ledgerClosedAt !== null) return record ?? undefined;
    // A process that resumes or undoes the import has a lease. A process that gets the lease later locks the import before
    // its first change, and so sees that the ledger is closed.
    if (await hasActiveLease(core, record, transaction)) return undefined;
    return record.update({ ledgerClosedAt: core.now() }, { transaction });
  });
}

/**
 * Returns the rows of an import in file order, after a line about the import. Hashes of old passwords are left out, because
 * only an undo needs them.
 */
function ledgerOf({ database }: Core, record: Import): OldRows<ImportRow> {
  const { ImportRow } = database.models;
  const { id: importId, number, status, origin, fileName, fileSha256, optionsJson, counts } = record;
  const { createdBy, createdAt, startedAt, finishedAt, undoneAt } = record;
  // `optionsText` writes objects only.
  const options = JSON.parse(optionsJson) as object;
  const what = { id: importId, number, status, origin, file: fileName, fileSha256, options, counts };
  return {
    kind: 'import',
    head: { type: 'import', ...what, createdBy, createdAt, startedAt, finishedAt, undoneAt },
    next: (last, limit) =>
      database.read(() =>
        ImportRow.findAll({ where: { importId, line: { [Op.gt]: last?.line ?? 0 } }, order: ['line'], limit }),
      ),
    toLine({ line, outcome, code, otherCodes, userId, reason, undoJson, undoOutcome, undoCode }) {
      const { before, ...note } = parseUndoNote(undoJson) ?? {};
      const { passwordHash: _, ...fields } = before ?? { passwordHash: undefined };
      const undo = undoJson === null ? null : { ...note, ...(before && { before: fields }) };
      const done = { outcome, code, otherCodes, userId, reason };
      return { type: 'importRow', importId, line, ...done, undo, undoOutcome, undoCode };
    },
    remove: (rows, transaction) =>
      ImportRow.destroy({ where: { importId, line: rows.map(({ line }) => line) }, transaction }),
  };
}
