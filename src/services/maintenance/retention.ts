import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { type TableSize, tableSizes } from '../../db/admin/table-sizes.js';
import { type Lease, withLease } from '../../db/lease.js';
import type { AuditEntry } from '../../db/models/audit-entry.js';
import { hasLedger } from '../../db/sql/conditions.js';
import { AppError } from '../../errors.js';
import { diskFault, makeFolder, syncToDisk } from '../../storage/disk.js';
import type { Core } from '../core.js';

/**
 * Number of rows that are exported and deleted together. Small, because a row can have 240 KB and deletions must not
 * delay requests.
 */
const pageRows = 200;

/** Returns the time before which rows are exported and deleted. @param days retention in days */
export function retentionStart(core: Core, days: number): Date {
  return new Date(core.now().getTime() - days * 86_400_000);
}

/** Folder of the exported rows. Only its owner can read it. */
export const archiveFolder = ({ config }: Core): string => path.join(config.dataDir, 'retention');

/** File of exported rows, as lines of JSON. */
interface Archive {
  file: string;
  /** Appends lines and syncs them to the disk. @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE` */
  append(lines: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

/** Creates a file in the {@link archiveFolder}. @param kind beginning of the file's name */
async function createArchive(core: Core, kind: string): Promise<Archive> {
  const folder = archiveFolder(core);
  const moment = core.now().toISOString();
  const file = path.join(folder, `${kind}-${moment.replaceAll(/[-:]|\.\d+/g, '')}-${uuidv7()}.ndjson`);
  const onDisk = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw diskFault(folder, error);
    });
  await onDisk(makeFolder(folder));
  const handle = await onDisk(open(file, 'wx', 0o600));
  let isEmpty = true;
  return {
    file,
    async append(lines) {
      await onDisk(handle.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
      await onDisk(handle.sync());
      if (isEmpty) for (const named of [folder, path.dirname(folder)]) await onDisk(syncToDisk(named));
      isEmpty = false;
    },
    async close() {
      await handle.close();
      // The file is empty, for example because the disk was full. The next run creates another file.
      if (isEmpty) await rm(file, { force: true });
    },
  };
}

export interface OldRows<Row> {
  /** Beginning of the file's name. */
  kind: 'audit' | 'import';
  /** First line of the file, with facts about all rows. */
  head?: object;
  /**
   * Reads the next rows.
   * @param last last row of the previous page, which is deleted already; undefined for the first page
   */
  next(last: Row | undefined, limit: number): Promise<Row[]>;
  toLine(row: Row): object;
  remove(rows: readonly Row[], transaction: Transaction): Promise<unknown>;
}

export interface ExportResult {
  /** Number of rows. */
  exported: number;
  files: string[];
}

/**
 * Exports rows to a file, page by page. After a page is on the disk, exactly its rows are deleted. A killed run loses no
 * rows: rows that were exported but not deleted yet are exported again by the next run.
 * @throws AppError `INTERRUPTED` when the signal is aborted or another process has the lease; `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`
 */
export async function exportRows<Row>(
  core: Core,
  lease: Lease,
  rows: OldRows<Row>,
  signal: AbortSignal,
): Promise<ExportResult> {
  let archive: Archive | undefined;
  let exported = 0;
  try {
    for (let last: Row | undefined; ; ) {
      if (signal.aborted) throw new AppError('INTERRUPTED');
      const page = await rows.next(last, pageRows);
      if (page.length === 0) return { exported, files: archive ? [archive.file] : [] };
      const head = archive || !rows.head ? [] : [rows.head];
      archive ??= await createArchive(core, rows.kind);
      await archive.append([...head, ...page.map(rows.toLine)]);
      await core.database.inTransaction(async (transaction) => {
        await assertLeaseHeld(lease, transaction);
        await rows.remove(page, transaction);
      });
      exported += page.length;
      last = page.at(-1);
    }
  } finally {
    await archive?.close();
  }
}

/**
 * Runs `work` under the lease of exports, so that only one process of all instances exports.
 * @throws AppError `RETENTION_RUNNING` while another process exports
 */
export function withRetentionLease<T>(core: Core, work: (lease: Lease) => Promise<T>): Promise<T> {
  return withLease(core.database, 'retention', 0, () => new AppError('RETENTION_RUNNING'), work);
}

/** @throws AppError `INTERRUPTED` if another process has taken the lease; that process continues the export */
export async function assertLeaseHeld(lease: Lease, transaction: Transaction): Promise<void> {
  if (!(await lease.renew(transaction)))
    throw new AppError('INTERRUPTED', 'Another process has taken over the export of old rows.');
}

/** Counts the audit entries that are older than the retention. @param days retention in days */
export async function countOldAudit(core: Core, days: number): Promise<number> {
  const { AuditEntry } = core.database.models;
  const where = { at: { [Op.lt]: retentionStart(core, days) } };
  return core.database.read(() => AuditEntry.count({ where }));
}

/**
 * Exports the audit entries that are older than the retention, oldest first, then deletes them: see {@link exportRows}.
 * @param days retention in days
 * @throws AppError `RETENTION_RUNNING` while another process exports, and the errors of {@link exportRows}
 */
export function pruneAudit(core: Core, days: number, signal: AbortSignal): Promise<ExportResult> {
  const { models, read } = core.database;
  const before = retentionStart(core, days);
  const after = (last: AuditEntry | undefined): WhereOptions<AuditEntry> =>
    last
      ? {
          at: { [Op.gte]: last.at, [Op.lt]: before },
          [Op.or]: [{ at: { [Op.gt]: last.at } }, { id: { [Op.gt]: last.id } }],
        }
      : { at: { [Op.lt]: before } };
  const entries: OldRows<AuditEntry> = {
    kind: 'audit',
    next: (last, limit) => read(() => models.AuditEntry.findAll({ where: after(last), order: ['at', 'id'], limit })),
    toLine(entry) {
      const { id, at, actorId, origin, ip, osUser, action, targetType, targetId, before: old, after: present } = entry;
      const what = { action, targetType, targetId, before: old, after: present };
      return { type: 'auditEntry', id, at, actorId, origin, ip, osUser, ...what };
    },
    remove: (page, transaction) => models.AuditEntry.destroy({ where: { id: page.map(({ id }) => id) }, transaction }),
  };
  return withRetentionLease(core, (lease) => exportRows(core, lease, entries, signal));
}

/** Tables that grow with every use of the service. */
const growingTables = ['audit_entries', 'import_rows', 'enrollments', 'users'];

export interface Growth {
  tables: TableSize[];
  /** Time of the oldest audit entry; null without entries. */
  oldestAudit: Date | null;
  /** Start of the oldest import with rows; null without one. */
  oldestLedger: Date | null;
}

/** Estimates the sizes of the growing tables without reading their rows. */
export async function growthOf({ database }: Core): Promise<Growth> {
  const { AuditEntry, Import } = database.models;
  const tables = await tableSizes(database, growingTables);
  const oldest = await database.read(() => AuditEntry.findOne({ attributes: ['at'], order: ['at', 'id'] }));
  const ledger = await database.read(() =>
    Import.findOne({ attributes: ['createdAt'], where: hasLedger(database.sequelize), order: ['number'] }),
  );
  return { tables, oldestAudit: oldest?.at ?? null, oldestLedger: ledger?.createdAt ?? null };
}
