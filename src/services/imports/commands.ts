import { type InferAttributes, Op, type Transaction, type WhereOptions } from 'sequelize';
import { activeLeases, type Lease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError, notFound } from '../../errors.js';
import { type ImportStatus, importListingSchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { type Page, pageOf } from '../paging.js';
import { type ImportPlan, planImport } from './plan/plan.js';
import { removeOwnCopy } from './queue/spool.js';
import { type ApplyOptions, applyImport } from './run/apply.js';
import { assertNotFetched, assertUnfinished, withImportLease, withJobLease } from './run/import-lock.js';
import { type ImportResult, jobLease, leaseName, optionsOf } from './run/repository.js';
import { type Advance, takeBack, type UndoResult, undoPreview } from './undo/undo.js';

/**
 * Imports, with what their status says to the world: one that is `running` without anybody running it broke off, and so
 * did an undo that nobody is at.
 */
async function withLiveStatus(core: Core, records: readonly Import[]): Promise<void> {
  const running = records.filter(({ status }) => status === 'running' || status === 'undoing');
  const held = await activeLeases(core.database, running.flatMap(leasesOf));
  for (const record of running) {
    if (leasesOf(record).some((name) => held.has(name))) continue;
    if (record.status === 'undoing') {
      record.set('errorCode', 'INTERRUPTED', { raw: true });
      record.set('errorMessage', 'Its undo broke off. Undo it again, to the end.', { raw: true });
    }
    record.set('status', 'interrupted', { raw: true });
  }
}

/** What whoever runs an import holds: the service holds a lease on its import before there is one on the file. */
const leasesOf = (record: Import) => [leaseName(record.fileSha256, record.optionsJson), jobLease(record)];

async function isRun(core: Core, record: Import, transaction: Transaction): Promise<boolean> {
  return (await activeLeases(core.database, leasesOf(record), transaction)).size > 0;
}

/** The imports that are shown with a status: of those that are recorded as under way, only the leases tell. */
async function shownAs(core: Core, status: ImportStatus): Promise<WhereOptions<Import>> {
  if (!['running', 'undoing', 'interrupted'].includes(status)) return { status };
  const recorded = await core.database.read(() =>
    core.database.models.Import.findAll({ where: { status: ['running', 'undoing'] } }),
  );
  await withLiveStatus(core, recorded);
  const ids = recorded.filter((record) => record.status === status).map(({ id }) => id);
  return status === 'interrupted' ? { [Op.or]: [{ status }, { id: ids }] } : { id: ids };
}

/** One page of the imports, newest first. @throws AppError `VALIDATION` */
export async function listImports(core: Core, query: unknown): Promise<Page<Import>> {
  const { Import } = core.database.models;
  const listing = validate(importListingSchema, query);
  const where = listing.status === undefined ? {} : await shownAs(core, listing.status);
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
  assertUnfinished(record);
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
  return withJobLease(core, record, options, async () => {
    // Should somebody else be at it, it is waited for.
    await changeUnfinished(core, actor, id, { cancelRequested: false }, async () => ['queued', 'running']);
    return applyImport(core, actor, plan, { ...options, record });
  });
}

/**
 * Changes an import that is about to be gone on with, unless it has ended or been undone since somebody looked.
 * @param others what it may be besides resumable
 * @returns the import as this change left it: reading it again after the commit could fail
 */
async function changeUnfinished(
  core: Core,
  actor: Actor,
  id: string,
  fields: Partial<InferAttributes<Import>>,
  others: (record: Import, transaction: Transaction) => Promise<ImportStatus[]>,
): Promise<Import> {
  return core.database.inTransaction(async (transaction) => {
    const { Import } = core.database.models;
    const record = await Import.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
    assertUnfinished(record, await others(record, transaction));
    await assertNotFetched(core, record, transaction);
    await record.update(fields, { transaction });
    await recordAudit(core, actor, { action: 'import.resume', targetType: 'import', targetId: id }, transaction);
    return record;
  });
}

/**
 * Puts an import over HTTP that failed, broke off or was cancelled into the queue again.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT`
 */
export async function requeueImport(core: Core, actor: Actor, id: string): Promise<Import> {
  const { origin } = await findImport(core, id);
  if (origin !== 'http')
    throw new AppError('IMPORT_CONFLICT', `The import ${id} was begun at a terminal: coursectl imports resume ${id}`);
  const again = { cancelRequested: false, finishedAt: null, errorCode: null, errorMessage: null };
  return changeUnfinished(core, actor, id, { status: 'queued', ...again }, async (record, transaction) =>
    // One that is said to run, though nobody runs it, broke off.
    (await isRun(core, record, transaction)) ? [] : ['running'],
  );
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
  const take = (lease: Lease) => takeBackUnder(core, actor, found, lease, options.onProgress);
  return withJobLease(core, found, options, () =>
    withImportLease(core, found.fileSha256, found.optionsJson, options, take),
  );
}

async function takeBackUnder(
  core: Core,
  actor: Actor,
  record: Import,
  lease: Lease,
  onProgress: ((rows: number) => void) | undefined,
): Promise<UndoResult> {
  const advance: Advance = (progress, work) =>
    core.database.inTransaction(async (transaction) => {
      if (!(await lease.renew(transaction)))
        throw new AppError('IMPORT_CONFLICT', `The import ${record.id} was taken over by another process.`);
      await record.reload({ transaction, lock: transaction.LOCK.UPDATE });
      // What is said to run is run by nobody: it is our turn. All else may have changed since it was looked at.
      if (record.status !== 'running') assertUndoable(record);
      await work(transaction);
      await record.update(progress, { transaction });
    });
  const result = await takeBack(core, actor, record, advance, onProgress);
  await advance({ status: 'undone', undoneAt: core.now() }, async () => undefined);
  await removeOwnCopy(core, record);
  return result;
}

/**
 * Ends an import that waits or runs: at the next row boundary, keeping what is done.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` when it has ended
 */
export async function cancelImport(core: Core, actor: Actor, id: string): Promise<Import> {
  await findImport(core, id);
  return core.database.inTransaction(async (transaction) => {
    const record = await core.database.models.Import.findByPk(id, {
      transaction,
      lock: transaction.LOCK.UPDATE,
      rejectOnEmpty: true,
    });
    if (record.status !== 'queued' && record.status !== 'running' && record.status !== 'interrupted')
      throw new AppError('IMPORT_CONFLICT', `The import ${id} is ${record.status}: there is nothing to cancel.`);
    // Nobody runs one that is said to run: nobody would notice.
    const ended = record.status !== 'running' || !(await isRun(core, record, transaction));
    await record.update(
      { cancelRequested: true, ...(ended && { status: 'cancelled', finishedAt: core.now() }) },
      { transaction },
    );
    await recordAudit(core, actor, { action: 'import.cancel', targetType: 'import', targetId: id }, transaction);
    return record;
  });
}
