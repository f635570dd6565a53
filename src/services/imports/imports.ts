import { heldLeases } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError, notFound } from '../../errors.js';
import { type ImportStatus, importListingSchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { type Page, pageOf } from '../paging.js';
import { type ApplyOptions, applyImport } from './apply.js';
import { type ImportPlan, planImport } from './plan.js';
import { type ImportResult, jobLease, leaseName, optionsOf } from './record.js';
import { withImportLease } from './turns.js';
import { takeBack, type UndoResult, undoPreview } from './undo.js';

/** Imports, with what their status says to the world: one that is `running` without anybody running it broke off. */
async function withLiveStatus(core: Core, records: readonly Import[]): Promise<void> {
  const running = records.filter(({ status }) => status === 'running');
  // The service holds a lease on its import before there is one on the file.
  const namesOf = (record: Import) => [leaseName(record.fileSha256, record.optionsJson), jobLease(record)];
  const held = await heldLeases(core.database, running.flatMap(namesOf));
  for (const record of running)
    if (!namesOf(record).some((name) => held.has(name))) record.set('status', 'interrupted', { raw: true });
}

/** One page of the imports, newest first. @throws AppError `VALIDATION` */
export async function listImports(core: Core, query: unknown): Promise<Page<Import>> {
  const { Import } = core.database.models;
  const listing = validate(importListingSchema, query);
  const where = listing.status === undefined ? {} : { status: listing.status };
  const page = await pageOf(core, Import, listing, { where, order: [['id', 'DESC']] });
  await withLiveStatus(core, page.items);
  return page;
}

/** @throws AppError `NOT_FOUND` */
export async function findImport(core: Core, id: string): Promise<Import> {
  const record = await core.database.read(() => core.database.models.Import.findByPk(id));
  if (!record) throw notFound('Import');
  await withLiveStatus(core, [record]);
  return record;
}

const resumable: readonly ImportStatus[] = ['interrupted', 'failed', 'cancelled'];

/**
 * Goes on with an import that broke off, wherever it was begun, as far as its file can be read here.
 * @param prepare is given the plan for what is left, before anything is written
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` when it has ended or its file is another one now, and as {@link applyImport}
 */
export async function resumeImport(
  core: Core,
  actor: Actor,
  id: string,
  options: Omit<ApplyOptions, 'record'>,
  prepare: (plan: ImportPlan) => Promise<void> = async () => undefined,
): Promise<ImportResult> {
  const record = await findImport(core, id);
  if (!resumable.includes(record.status))
    throw new AppError('IMPORT_CONFLICT', `The import ${id} is ${record.status}: there is nothing to resume.`);
  const plan = await planImport(core, {
    file: record.filePath,
    options: optionsOf(record),
    signal: options.signal,
    record,
  });
  if (plan.fileSha256 !== record.fileSha256)
    throw new AppError(
      'IMPORT_CONFLICT',
      `The file ${record.filePath} is no longer what was imported. Put it back, or import it anew.`,
    );
  await prepare(plan);
  await core.database.inTransaction(async (transaction) => {
    await core.database.models.Import.update({ cancelRequested: false }, { where: { id }, transaction });
    await recordAudit(core, actor, { action: 'import.resume', targetType: 'import', targetId: id }, transaction);
  });
  return applyImport(core, actor, plan, { ...options, record });
}

/**
 * Puts an import over HTTP that failed, broke off or was cancelled into the queue again.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT`
 */
export async function requeueImport(core: Core, actor: Actor, id: string): Promise<Import> {
  const { origin, status } = await findImport(core, id);
  if (origin !== 'http')
    throw new AppError('IMPORT_CONFLICT', `The import ${id} was begun at a terminal: coursectl imports resume ${id}`);
  if (!resumable.includes(status))
    throw new AppError('IMPORT_CONFLICT', `The import ${id} is ${status}: there is nothing to resume.`);
  await core.database.inTransaction(async (transaction) => {
    const fields = {
      status: 'queued',
      cancelRequested: false,
      finishedAt: null,
      errorCode: null,
      errorMessage: null,
    } as const;
    await core.database.models.Import.update(fields, { where: { id }, transaction });
    await recordAudit(core, actor, { action: 'import.resume', targetType: 'import', targetId: id }, transaction);
  });
  return findImport(core, id);
}

/** What undoing an import would do now. @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` */
export async function previewUndo(core: Core, id: string): Promise<UndoResult> {
  const record = await findImport(core, id);
  assertUndoable(record);
  return undoPreview(core, record);
}

function assertUndoable({ id, status }: Import): void {
  if (status === 'undone') throw new AppError('IMPORT_CONFLICT', `The import ${id} is undone already.`);
  if (status === 'queued' || status === 'running')
    throw new AppError('IMPORT_CONFLICT', `The import ${id} is ${status}: cancel it first.`);
}

/**
 * Removes what an import created and restores what it updated; what has a life of its own by now is kept and named.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT`
 */
export async function undoImport(
  core: Core,
  actor: Actor,
  id: string,
  options: Pick<ApplyOptions, 'signal' | 'onWait'> & { onProgress?(rows: number): void },
): Promise<UndoResult> {
  const found = await findImport(core, id);
  assertUndoable(found);
  return withImportLease(core, found.fileSha256, found.optionsJson, options, async (lease) => {
    const record = await found.reload();
    if (record.status === 'undone') assertUndoable(record);
    const result = await takeBack(
      core,
      actor,
      record,
      (progress, work) =>
        core.database.inTransaction(async (transaction) => {
          if (!(await lease.renew(transaction)))
            throw new AppError('IMPORT_CONFLICT', `The import ${id} was taken over by another process.`);
          await work(transaction);
          await record.update(progress, { transaction });
        }),
      options.onProgress,
    );
    await core.database.inTransaction((transaction) =>
      record.update({ status: 'undone', undoneAt: core.now() }, { transaction }),
    );
    return result;
  });
}

/**
 * Ends an import that waits or runs: at the next row boundary, keeping what is done.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` when it has ended
 */
export async function cancelImport(core: Core, actor: Actor, id: string): Promise<Import> {
  const live = await findImport(core, id);
  await core.database.inTransaction(async (transaction) => {
    const record = await core.database.models.Import.findByPk(id, {
      transaction,
      lock: transaction.LOCK.UPDATE,
      rejectOnEmpty: true,
    });
    if (record.status !== 'queued' && record.status !== 'running' && record.status !== 'interrupted')
      throw new AppError('IMPORT_CONFLICT', `The import ${id} is ${record.status}: there is nothing to cancel.`);
    // Nobody runs one that is said to run: nobody would notice.
    const ended = record.status !== 'running' || live.status === 'interrupted';
    await record.update(
      { cancelRequested: true, ...(ended && { status: 'cancelled', finishedAt: core.now() }) },
      { transaction },
    );
    await recordAudit(core, actor, { action: 'import.cancel', targetType: 'import', targetId: id }, transaction);
  });
  return findImport(core, id);
}
