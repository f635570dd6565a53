import { Op, type WhereOptions } from 'sequelize';
import { hasLedger } from '../../db/conditions.js';
import type { Lease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { isRunning } from '../imports/queries.js';
import { lockImport } from '../imports/run/repository.js';
import { undoNoteOf } from '../imports/undo/note.js';
import { writeArchive } from './archive.js';
import { archivedRows, assertStillHeld, deleteExported, retentionStart, withRetentionLease } from './retention.js';

/** Rows per query. */
const pageRows = 1000;

/** Imports that have ended. Any other may still need its ledger, however old it is. */
const ended = ['completed', 'stopped', 'failed', 'cancelled', 'undone'] as const;

/** What a run of the retention did with the ledgers of imports. */
export interface PrunedLedgers {
  /** How many imports lost their ledger. */
  imports: number;
  /** How many rows were exported and deleted. */
  exported: number;
  /** The files with the rows. */
  files: string[];
}

/** Imports that ended before a moment, with a ledger, and those whose ledger was closed by a run that was killed. */
function dueSince({ database: { sequelize } }: Core, before: Date): WhereOptions<Import> {
  return {
    status: [...ended],
    finishedAt: { [Op.lt]: before },
    undoneAt: { [Op.or]: [{ [Op.is]: null }, { [Op.lt]: before }] },
    [Op.and]: hasLedger(sequelize),
  };
}

/** The imports whose ledgers are older than the retention. @param days the retention */
export function oldLedgers(core: Core, days: number): Promise<Import[]> {
  const { Import } = core.database.models;
  const where = dueSince(core, retentionStart(core, days));
  return core.database.read(() => Import.findAll({ where, order: ['id'] }));
}

/**
 * Exports the ledgers of imports that ended longer ago than the retention, then deletes them. A ledger is closed first, so that
 * no undo changes it meanwhile. Killed at any point, it loses nothing: the next run exports again what was not yet deleted.
 * @param days the retention
 * @throws AppError `RETENTION_RUNNING` while another process exports, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export function pruneLedgers(core: Core, days: number, signal: AbortSignal): Promise<PrunedLedgers> {
  return withRetentionLease(core, async (lease) => {
    const before = retentionStart(core, days);
    const result: PrunedLedgers = { imports: 0, exported: 0, files: [] };
    for (const { id } of await oldLedgers(core, days)) {
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

/** Closes the ledger of an import, unless it was resumed or undone meanwhile. @returns the import when its ledger is closed */
function closeLedger(core: Core, lease: Lease, id: string, before: Date): Promise<Import | undefined> {
  return core.database.inTransaction(async (transaction) => {
    await assertStillHeld(lease, transaction);
    const record = await lockImport(core, id, transaction);
    const { status, finishedAt, undoneAt, ledgerClosedAt } = record;
    if (ledgerClosedAt !== null) return record;
    const hasEnded = ended.some((word) => word === status) && finishedAt !== null && finishedAt < before;
    if (!hasEnded || (undoneAt !== null && undoneAt >= before)) return undefined;
    // Who is about to resume or undo it has a lease, and checks after this transaction.
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
  const { id, status, origin, fileName, fileSha256, optionsJson, counts } = record;
  const { createdBy, createdAt, startedAt, finishedAt, undoneAt } = record;
  const options = JSON.parse(optionsJson) as object;
  const times = { createdAt, startedAt, finishedAt, undoneAt };
  yield { type: 'import', id, status, origin, file: fileName, fileSha256, options, counts, createdBy, ...times };
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
