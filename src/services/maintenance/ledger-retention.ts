import { Op, type WhereOptions } from 'sequelize';
import { hasLedger } from '../../db/conditions.js';
import type { Lease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { undoNoteOf } from '../../db/models/import-row.js';
import { AppError } from '../../errors.js';
import type { ImportStatus } from '../../schemas/import.js';
import type { Core } from '../core.js';
import { isRunning } from '../imports/store/find-import.js';
import { lockImport } from '../imports/store/repository.js';
import { writeArchive } from './archive.js';
import { archivedRows, assertStillHeld, deleteExported, retentionStart, withRetentionLease } from './retention.js';

/** Rows per query. */
const pageRows = 1000;

/** Imports that have ended and were not undone. Any other may still need its ledger, however old it is. */
const ended: readonly ImportStatus[] = ['completed', 'stopped', 'failed', 'cancelled'];

/** What a run of the retention did with the ledgers of imports. */
export interface PrunedLedgers {
  /** How many imports lost their ledger, or had none and can't be resumed any more. */
  imports: number;
  /** How many rows were exported and deleted. */
  exported: number;
  /** The files with the rows. */
  files: string[];
}

/**
 * The imports that ended before a moment, or were undone before it, and those with rows whose ledger a run closed that was
 * killed. Imports without rows are due, too: they may keep their file and their plan to be resumed, until the ledger is closed.
 */
function dueBefore({ database }: Core, before: Date): Promise<Import[]> {
  const { models, sequelize } = database;
  const isOld = { [Op.lt]: before };
  const where: WhereOptions<Import> = {
    [Op.or]: [
      { status: [...ended], finishedAt: isOld, ledgerClosedAt: null },
      // One that was interrupted and then undone has no `finishedAt`.
      { status: 'undone', undoneAt: isOld, ledgerClosedAt: null },
      { [Op.and]: [{ ledgerClosedAt: { [Op.ne]: null } }, hasLedger(sequelize)] },
    ],
  };
  return database.read(() => models.Import.findAll({ where, order: ['id'] }));
}

/** The same for an import that was read again. */
function isDue({ status, finishedAt, undoneAt, ledgerClosedAt }: Import, before: Date): boolean {
  if (ledgerClosedAt !== null) return true;
  const end = status === 'undone' ? undoneAt : finishedAt;
  return (status === 'undone' || ended.includes(status)) && end !== null && end < before;
}

/** How many imports ended longer ago than the retention, and how many rows they have. @param days the retention */
export async function countOldLedgers(core: Core, days: number): Promise<{ imports: number; exported: number }> {
  const { ImportRow } = core.database.models;
  const records = await dueBefore(core, retentionStart(core, days));
  let exported = 0;
  for (const { id } of records)
    exported += await core.database.read(() => ImportRow.count({ where: { importId: id } }));
  return { imports: records.length, exported };
}

/**
 * Exports the ledgers of imports that ended longer ago than the retention, then deletes them. A ledger is closed first, so that
 * the import can't be undone or resumed meanwhile; the cleanups then remove its file and its plan. Killed at any point, it
 * loses nothing: the next run exports again what was not yet deleted.
 * @param days the retention
 * @throws AppError `RETENTION_RUNNING` while another process exports, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export function pruneLedgers(core: Core, days: number, signal: AbortSignal): Promise<PrunedLedgers> {
  return withRetentionLease(core, async (lease) => {
    const before = retentionStart(core, days);
    const result: PrunedLedgers = { imports: 0, exported: 0, files: [] };
    for (const { id } of await dueBefore(core, before)) {
      const record = await closeLedger(core, lease, id, before);
      if (!record) continue;
      result.imports += 1;
      while (await hasRows(core, id)) {
        const { rows, file } = await exportBatch(core, lease, record, signal);
        result.exported += rows;
        result.files.push(file);
      }
    }
    return result;
  });
}

/** Closes the ledger of an import, unless it is being resumed or undone by now. @returns the import if its ledger is closed */
function closeLedger(core: Core, lease: Lease, id: string, before: Date): Promise<Import | undefined> {
  return core.database.inTransaction(async (transaction) => {
    await assertStillHeld(lease, transaction);
    const record = await lockImport(core, id, transaction);
    if (!isDue(record, before)) return undefined;
    if (record.ledgerClosedAt !== null) return record;
    // A process that is about to resume or undo it has a lease. One that gets the lease later sees that the ledger is closed,
    // because it locks the import before its first change.
    if (await isRunning(core, record, transaction)) return undefined;
    return record.update({ ledgerClosedAt: core.now() }, { transaction });
  });
}

async function hasRows({ database }: Core, importId: string): Promise<boolean> {
  const { ImportRow } = database.models;
  return (await database.read(() => ImportRow.findOne({ attributes: ['line'], where: { importId } }))) !== null;
}

/** Exports and deletes the next rows of a ledger. */
async function exportBatch(
  core: Core,
  lease: Lease,
  record: Import,
  signal: AbortSignal,
): Promise<{ rows: number; file: string }> {
  const { ImportRow } = core.database.models;
  const lines: number[] = [];
  const file = await writeArchive(core, 'import', ledgerLines(core, record, lines, signal));
  await deleteExported(core, lease, lines, (line, transaction) =>
    ImportRow.destroy({ where: { importId: record.id, line }, transaction }),
  );
  return { rows: lines.length, file };
}

/**
 * The lines of a file: the import, then its rows in the order of the file. Hashes of old passwords, which only undo needed,
 * are left out.
 * @param lines gets the lines of the rows
 */
async function* ledgerLines(core: Core, record: Import, lines: number[], signal: AbortSignal): AsyncGenerator<object> {
  const { ImportRow } = core.database.models;
  const { id, number, status, origin, fileName, fileSha256, optionsJson, counts } = record;
  const { createdBy, createdAt, startedAt, finishedAt, undoneAt } = record;
  // Written by `optionsText`, which takes an object.
  const options = JSON.parse(optionsJson) as object;
  const times = { createdAt, startedAt, finishedAt, undoneAt };
  yield {
    type: 'import',
    id,
    number,
    status,
    origin,
    file: fileName,
    fileSha256,
    options,
    counts,
    createdBy,
    ...times,
  };
  while (lines.length < archivedRows) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const where = { importId: id, line: { [Op.gt]: lines.at(-1) ?? 0 } };
    const rows = await core.database.read(() => ImportRow.findAll({ where, order: ['line'], limit: pageRows }));
    if (rows.length === 0) return;
    for (const { importId, line, outcome, code, otherCodes, userId, reason, undoJson, undoOutcome, undoCode } of rows) {
      const { before, ...note } = undoNoteOf(undoJson) ?? {};
      const { passwordHash: _, ...fields } = before ?? { passwordHash: undefined };
      const undo = undoJson === null ? null : { ...note, ...(before && { before: fields }) };
      lines.push(line);
      yield {
        type: 'importRow',
        importId,
        line,
        outcome,
        code,
        otherCodes,
        userId,
        reason,
        undo,
        undoOutcome,
        undoCode,
      };
    }
  }
}
