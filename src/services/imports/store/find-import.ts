import path from 'node:path';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { activeLeases } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound } from '../../../errors.js';
import { type ImportStatus, importListingSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Core, Identity } from '../../core.js';
import { type Page, readPage } from '../../paging.js';
import { resolveShortId } from '../../short-ids.js';
import { hasWritten, isUndoOfRefusedImport, leaseName } from './repository.js';
import { addTrainers } from './trainer-imports.js';

/**
 * Returns the error for a command that is not possible while an import has its current status.
 * @param explanation end of the message "The import 5 is running: ...", such as the step to take first
 */
export const statusConflict = ({ number, status }: Pick<Import, 'number' | 'status'>, explanation: string): AppError =>
  new AppError('IMPORT_CONFLICT', `The import ${number} is ${status}: ${explanation}`, { params: { status } });

/** Whether a process plans, runs or undoes the import now, or sends its passwords. Only the lease shows this. */
export async function hasActiveLease(core: Core, record: Import, transaction: Transaction): Promise<boolean> {
  return (await activeLeases(core.database, [leaseName(record)], transaction)).size > 0;
}

/**
 * Replaces the status of interrupted imports, in memory only. They are recorded as `running` or `undoing`, but no process has
 * their lease.
 */
async function markInterrupted(core: Core, records: readonly Import[]): Promise<void> {
  const running = records.filter(({ status }) => status === 'running' || status === 'undoing');
  const held = await activeLeases(core.database, running.map(leaseName));
  for (const record of running) {
    if (held.has(leaseName(record))) continue;
    if (isUndoOfRefusedImport(record)) {
      // The service itself finishes this undo, so the import stays `undoing`.
      if (record.origin === 'http') continue;
      const next = 'The undo of the rows was interrupted: run the same command again, or undo the import.';
      record.set('errorMessage', `${record.errorMessage} ${next}`, { raw: true });
    } else if (record.status === 'undoing') {
      record.set('errorCode', 'INTERRUPTED', { raw: true });
      record.set('errorMessage', 'The undo was interrupted. Undo the import again.', { raw: true });
    }
    record.set('status', 'interrupted', { raw: true });
  }
}

/**
 * Returns the condition of a query for imports with a live status. The query can't see leases, so imports that may be
 * interrupted are read first and selected by id.
 */
async function whereLiveStatus(core: Core, status: ImportStatus): Promise<WhereOptions<Import>> {
  if (!['running', 'undoing', 'interrupted'].includes(status)) return { status };
  const recorded = await core.database.read(() =>
    core.database.models.Import.findAll({ where: { status: ['running', 'undoing'] } }),
  );
  await markInterrupted(core, recorded);
  const ids = recorded.filter((record) => record.status === status).map(({ id }) => id);
  return status === 'interrupted' ? { [Op.or]: [{ status }, { id: ids }] } : { id: ids };
}

const dayMs = 86_400_000;

/** Matches imports with rejected rows that ended within a number of days, without undone ones. */
const rejectedRows = (core: Core, days: number): WhereOptions<Import> => ({
  finishedAt: { [Op.gte]: new Date(core.now().getTime() - days * dayMs) },
  rejectedCount: { [Op.gt]: 0 },
  status: { [Op.notIn]: ['undoing', 'undone'] },
});

/** Imports that wait for a person. */
export interface ImportsToCheck {
  /** Recent imports with rejected rows. */
  rejected: number;
  /** Plans that wait for a confirmation. */
  planned: number;
}

/** Counts the imports that wait for a person; an index serves each query. */
export async function countImportsToCheck(core: Core, rejectedWithin: number): Promise<ImportsToCheck> {
  const { Import } = core.database.models;
  return core.database.read(async () => ({
    rejected: await Import.count({ where: rejectedRows(core, rejectedWithin) }),
    planned: await Import.count({ where: { status: 'planned' } }),
  }));
}

/** Matches the imports that a reader may see: all for the super admin, otherwise the own ones. */
const visibleTo = ({ role, actorId }: Identity): WhereOptions<Import> =>
  role === 'super_admin' ? {} : { createdBy: actorId };

/** Returns one page of the imports, newest first, with their live status and trainers. @throws AppError `VALIDATION` */
export async function listImports(core: Core, reader: Identity, query: unknown): Promise<Page<Import>> {
  const { Import } = core.database.models;
  const listing = validate(importListingSchema, query);
  const { status, rejectedWithin } = listing;
  const where = {
    [Op.and]: [
      visibleTo(reader),
      ...(status === undefined ? [] : [await whereLiveStatus(core, status)]),
      ...(rejectedWithin === undefined ? [] : [rejectedRows(core, rejectedWithin)]),
    ],
  };
  const page = await readPage(core, Import, listing, { where, order: [['id', 'DESC']] });
  await markInterrupted(core, page.items);
  await addTrainers(core, page.items);
  return page;
}

/** Returns an import with its live status and trainer. @throws AppError `NOT_FOUND`, also if the reader may not see it */
export async function findImport(core: Core, reader: Identity, id: string): Promise<Import> {
  const where = { [Op.and]: [{ id }, visibleTo(reader)] };
  const record = await core.database.read(() => core.database.models.Import.findOne({ where }));
  if (!record) throw notFound('Import');
  await markInterrupted(core, [record]);
  await addTrainers(core, [record]);
  return record;
}

/**
 * Returns the last import at a terminal that read this path or the same content, if it was interrupted after its first rows;
 * otherwise null. A new command with other options or changed content doesn't resume that import.
 */
export async function findInterrupted(
  core: Core,
  { file, fileSha256 }: { file: string; fileSha256: string },
): Promise<Import | null> {
  const where = { origin: 'cli', [Op.or]: [{ fileSha256 }, { filePath: path.resolve(file) }] } as const;
  const last = await core.database.read(() =>
    core.database.models.Import.findOne({ where, order: [['number', 'DESC']] }),
  );
  // Excludes an interrupted undo, which would also get the status `interrupted` below.
  if (!last || !hasWritten(last) || last.ledgerClosedAt !== null || last.status === 'undoing') return null;
  await markInterrupted(core, [last]);
  return last.status === 'interrupted' ? last : null;
}

/** Matches the number of an import. An id is abbreviated to at least eight characters, so it is never taken for a number. */
const importNumber = /^[1-9]\d{0,6}$/;

/**
 * Returns the id of the import that a text names by its number or by the end of its id. Any other text is returned unchanged:
 * the operation then finds the import, or refuses the text.
 * @throws AppError `VALIDATION` if several ids have this end
 */
export async function importIdOf(core: Core, reference: string): Promise<string> {
  const trimmed = reference.trim();
  if (!importNumber.test(trimmed)) return resolveShortId(core, 'Import', reference);
  const { Import } = core.database.models;
  const where = { number: Number(trimmed) };
  return (await core.database.read(() => Import.findOne({ attributes: ['id'], where })))?.id ?? reference;
}
