import path from 'node:path';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { activeLeases } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound } from '../../../errors.js';
import { type ImportStatus, importListingSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Core } from '../../core.js';
import { type Page, readPage } from '../../paging.js';
import { resolveShortId } from '../../short-ids.js';
import { isRefusalUnfinished, leaseName } from './repository.js';

/**
 * Returns the refusal of a command that the status of an import doesn't allow.
 * @param consequence consequence for the user, or the step to take first
 */
export const statusConflict = ({ number, status }: Pick<Import, 'number' | 'status'>, consequence: string): AppError =>
  new AppError('IMPORT_CONFLICT', `The import ${number} is ${status}: ${consequence}`, { params: { status } });

/** Whether a process runs the import now or sends its passwords, whatever its recorded status. */
export async function isRunning(core: Core, record: Import, transaction: Transaction): Promise<boolean> {
  return (await activeLeases(core.database, [leaseName(record)], transaction)).size > 0;
}

/** Sets the live status of imports: `running` or `undoing` without a lease means interrupted. */
async function setLiveStatus(core: Core, records: readonly Import[]): Promise<void> {
  const running = records.filter(({ status }) => status === 'running' || status === 'undoing');
  const held = await activeLeases(core.database, running.map(leaseName));
  for (const record of running) {
    if (held.has(leaseName(record))) continue;
    if (isRefusalUnfinished(record)) {
      // The service finishes the undo.
      if (record.origin === 'http') continue;
      const next = 'Undoing its rows was interrupted: run the same command again, or finish the undo.';
      record.set('errorMessage', `${record.errorMessage} ${next}`, { raw: true });
    } else if (record.status === 'undoing') {
      record.set('errorCode', 'INTERRUPTED', { raw: true });
      record.set('errorMessage', 'Its undo was interrupted. Undo it again.', { raw: true });
    }
    record.set('status', 'interrupted', { raw: true });
  }
}

/** Returns the condition for imports with a live status. Leases, not columns, tell interrupted imports from running ones. */
async function withLiveStatus(core: Core, status: ImportStatus): Promise<WhereOptions<Import>> {
  if (!['running', 'undoing', 'interrupted'].includes(status)) return { status };
  const recorded = await core.database.read(() =>
    core.database.models.Import.findAll({ where: { status: ['running', 'undoing'] } }),
  );
  await setLiveStatus(core, recorded);
  const ids = recorded.filter((record) => record.status === status).map(({ id }) => id);
  return status === 'interrupted' ? { [Op.or]: [{ status }, { id: ids }] } : { id: ids };
}

/** Returns one page of the imports, newest first, with their live status. @throws AppError `VALIDATION` */
export async function listImports(core: Core, query: unknown): Promise<Page<Import>> {
  const { Import } = core.database.models;
  const listing = validate(importListingSchema, query);
  const where = listing.status === undefined ? {} : await withLiveStatus(core, listing.status);
  const page = await readPage(core, Import, listing, { where, order: [['id', 'DESC']] });
  await setLiveStatus(core, page.items);
  return page;
}

/** Returns an import with its live status. @throws AppError `NOT_FOUND` */
export async function findImport(core: Core, id: string): Promise<Import> {
  const record = await core.database.read(() => core.database.models.Import.findByPk(id));
  if (!record) throw notFound('Import');
  await setLiveStatus(core, [record]);
  return record;
}

/**
 * Returns the last import of a file at a terminal, found by its content or path, if it was interrupted after its first rows.
 * Importing the file again doesn't resume it if the options or the content differ.
 */
export async function findInterrupted(
  core: Core,
  { file, fileSha256 }: { file: string; fileSha256: string },
): Promise<Import | null> {
  const where = { origin: 'cli', [Op.or]: [{ fileSha256 }, { filePath: path.resolve(file) }] } as const;
  const last = await core.database.read(() =>
    core.database.models.Import.findOne({ where, order: [['number', 'DESC']] }),
  );
  // `setLiveStatus` also shows an interrupted undo as interrupted.
  if (!last || last.rowsDone === 0 || last.ledgerClosedAt !== null || last.status === 'undoing') return null;
  await setLiveStatus(core, [last]);
  return last.status === 'interrupted' ? last : null;
}

/** Matches the number of an import, which is shorter than the end of an id. */
const writtenNumber = /^[1-9]\d{0,6}$/;

/**
 * Returns the id of the import that a text names by its number or by the end of its id. Any other text is returned unchanged:
 * the operation then finds the import, or refuses the text.
 * @throws AppError `VALIDATION` if several ids have this end
 */
export async function importIdOf(core: Core, reference: string): Promise<string> {
  const typed = reference.trim();
  if (!writtenNumber.test(typed)) return resolveShortId(core, 'Import', reference);
  const { Import } = core.database.models;
  const where = { number: Number(typed) };
  return (await core.database.read(() => Import.findOne({ attributes: ['id'], where })))?.id ?? reference;
}
