import { Op, type WhereOptions } from 'sequelize';
import type { Lease } from '../../db/lease.js';
import type { AuditEntry } from '../../db/models/audit-entry.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { writeArchive } from './archive.js';
import { archivedRows, deleteExported, retentionStart, withRetentionLease } from './retention.js';

/** Entries per query: their values may have some KB each. */
const pageRows = 200;

/** What a run of the retention did with the audit log. */
export interface PrunedAudit {
  /** How many entries were exported and deleted. */
  exported: number;
  /** The files with the entries. */
  files: string[];
}

/** How many entries are older than the retention. @param days the retention */
export function countOldAudit(core: Core, days: number): Promise<number> {
  const { AuditEntry } = core.database.models;
  const where = { at: { [Op.lt]: retentionStart(core, days) } };
  return core.database.read(() => AuditEntry.count({ where }));
}

/**
 * Exports the audit entries that are older than the retention, then deletes them.
 * Killed at any point, it loses nothing: entries that were exported and not yet deleted are exported once more by the next
 * run, under the same ids.
 * @param days the retention
 * @throws AppError `RETENTION_RUNNING` while another process exports, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export function pruneAudit(core: Core, days: number, signal: AbortSignal): Promise<PrunedAudit> {
  return withRetentionLease(core, async (lease) => {
    const before = retentionStart(core, days);
    const result: PrunedAudit = { exported: 0, files: [] };
    for (;;) {
      const batch = await exportBatch(core, lease, before, signal);
      if (!batch) break;
      result.exported += batch.entries;
      result.files.push(batch.file);
    }
    return result;
  });
}

/** Exports and deletes the oldest entries. @returns nothing when none is old enough */
async function exportBatch(
  core: Core,
  lease: Lease,
  before: Date,
  signal: AbortSignal,
): Promise<{ entries: number; file: string } | undefined> {
  const { AuditEntry } = core.database.models;
  const [first] = await entriesAfter(core, before, undefined, 1);
  if (!first) return undefined;
  const ids: string[] = [];
  const file = await writeArchive(core, 'audit', auditLines(core, before, ids, signal));
  await deleteExported(core, lease, ids, (id, transaction) => AuditEntry.destroy({ where: { id }, transaction }));
  return { entries: ids.length, file };
}

/** The next entries, oldest first. */
function entriesAfter(
  { database }: Core,
  before: Date,
  last: AuditEntry | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const where: WhereOptions<AuditEntry> = last
    ? {
        at: { [Op.gte]: last.at, [Op.lt]: before },
        [Op.or]: [{ at: { [Op.gt]: last.at } }, { id: { [Op.gt]: last.id } }],
      }
    : { at: { [Op.lt]: before } };
  return database.read(() => database.models.AuditEntry.findAll({ where, order: ['at', 'id'], limit }));
}

/**
 * The lines of a file: entries with their values.
 * @param ids gets the ids of the entries
 */
async function* auditLines(core: Core, before: Date, ids: string[], signal: AbortSignal): AsyncGenerator<object> {
  let last: AuditEntry | undefined;
  while (ids.length < archivedRows) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const entries = await entriesAfter(core, before, last, pageRows);
    if (entries.length === 0) return;
    for (const entry of entries) {
      const { id, at, actorId, origin, ip, osUser, action, targetType, targetId, before: old, after } = entry;
      ids.push(id);
      yield {
        type: 'auditEntry',
        id,
        at,
        actorId,
        origin,
        ip,
        osUser,
        action,
        targetType,
        targetId,
        before: old,
        after,
      };
    }
    last = entries.at(-1);
  }
}
