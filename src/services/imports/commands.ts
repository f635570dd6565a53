import type { InferAttributes, Transaction } from 'sequelize';
import type { Import } from '../../db/models/import.js';
import { AppError } from '../../errors.js';
import type { ImportStatus } from '../../schemas/import.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import type { ImportPlan } from './plan/plan.js';
import { applyUnderLease, planRecorded } from './queue/apply.js';
import { assertUnfinished, howToApply, howToCancel, withImportLease } from './run/import-lock.js';
import type { AppliedImport, ApplyOptions } from './run/run-import.js';
import { commitProgress } from './run/run-state.js';
import { findImport, hasActiveLease, statusConflict } from './store/find-import.js';
import { assertLedgerKept, assertResumable } from './store/ledger.js';
import { findPlan, removeDiscarded } from './store/plan-store.js';
import { auditFinish, lockImport } from './store/repository.js';
import { importsFolder, isReadableHere, removeSpooledFile } from './store/spool.js';
import { assertTrainerHasCourse, lockTrainer, reserveInvites } from './store/trainer-imports.js';
import { undoShownTo } from './undo/shown-result.js';
import { type CommitStep, hasKeptAccounts, previewUndoRows, type UndoResult, undoRows } from './undo/undo.js';

/**
 * Resumes an import that began over HTTP or at a terminal. This process must be able to read its file.
 * @param prepare receives the plan for the remaining rows before anything is written
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` if its status permits no resuming, and the errors of {@link planRecorded} and
 *   {@link applyUnderLease}
 */
export async function resumeImport(
  core: Core,
  actor: Actor,
  id: string,
  options: Omit<ApplyOptions, 'record'>,
  prepare: (plan: ImportPlan) => Promise<void> = async () => undefined,
): Promise<AppliedImport> {
  const record = await findImport(core, actor, id);
  assertUnfinished(record);
  // `findImport` shows an interrupted undo as interrupted, too. An undo isn't resumed here, so the stored status is checked.
  const { Import } = core.database.models;
  assertUnfinished(await core.database.read(() => Import.findByPk(id, { rejectOnEmpty: true })), ['queued', 'running']);
  assertResumable(record);
  if (await hasOpenPlan(core, record))
    throw new AppError(
      'IMPORT_CONFLICT',
      `The plan of the import ${record.number} was not applied: ${howToApply(record)}`,
    );
  await assertFilesStay(core, record, options);
  const plan = await planRecorded(core, record, { signal: options.signal });
  await prepare(plan);
  return withImportLease(core, record, options, async (lease) => {
    await changeUnfinished(
      core,
      actor,
      record,
      { cancelRequested: false },
      { isLeased: true, created: plan.counts.created },
    );
    return applyUnderLease(core, actor, plan, { ...options, record }, lease);
  });
}

/**
 * Refuses other places for the files of an import over HTTP: clients download them from the import's folder. Also checks
 * that this process can read the uploaded file.
 * @throws AppError `USAGE`, `FILE_UNUSABLE`
 */
async function assertFilesStay(
  core: Core,
  record: Import,
  { credentialsFile, rejectsFile }: Pick<ApplyOptions, 'credentialsFile' | 'rejectsFile'>,
): Promise<void> {
  const { origin, number, filePath } = record;
  if (origin !== 'http') return;
  if (credentialsFile !== undefined || rejectsFile !== undefined)
    throw new AppError(
      'USAGE',
      `The import ${number} was uploaded over HTTP: its reports stay in its folder, where people download them. Leave --credentials and --rejects out.`,
    );
  if (await isReadableHere(core, record)) return;
  throw new AppError(
    'FILE_UNUSABLE',
    `The file ${filePath} of the import ${number} can't be read in ${importsFolder(core)}. Set DATA_DIR to the same folder as the service, or upload the file again.`,
  );
}

/**
 * Changes an import that is about to be resumed. Checks again that its status permits this.
 * @param isLeased whether this process holds the import's lease. If not, `running` is accepted only without any lease: such
 *   a run was interrupted
 * @param created number of accounts that the whole import creates; undefined for the number that was reserved before
 * @returns the changed import, because reading it again after the commit could fail
 */
async function changeUnfinished(
  core: Core,
  actor: Actor,
  found: Import,
  fields: Partial<InferAttributes<Import>>,
  { isLeased, created }: { isLeased: boolean; created?: number },
): Promise<Import> {
  const { id } = found;
  return core.database.inTransaction(async (transaction) => {
    await lockTrainer(core, found, transaction);
    const record = await lockImport(core, id, transaction);
    if (isLeased) assertUnfinished(record, ['queued', 'running']);
    else assertUnfinished(record, (await hasActiveLease(core, record, transaction)) ? [] : ['running']);
    assertResumable(record);
    const { invitesReserved, invitesReservedAt } = record;
    // A run without a plan reserves its invitations itself.
    const wanted = created ?? (invitesReservedAt === null ? undefined : invitesReserved);
    const invites = wanted === undefined ? {} : await reserveInvites(core, record, wanted, transaction);
    await record.update({ ...fields, ...invites }, { transaction });
    await recordAudit(core, actor, { action: 'import.resume', targetType: 'import', targetId: id }, transaction);
    return record;
  });
}

/**
 * Queues an import over HTTP again after it failed, was interrupted or was cancelled.
 * @throws AppError `NOT_FOUND`, `IMPORT_AT_TERMINAL`, `IMPORT_CONFLICT`, `IMPORT_ROWS_DELETED`, `INVITE_LIMIT`, `COURSE_LOST`,
 *   `ACCOUNT_INACTIVE`
 */
export async function requeueImport(core: Core, actor: Actor, id: string): Promise<Import> {
  const found = await findImport(core, actor, id);
  await assertTrainerHasCourse(core, found);
  if (found.origin !== 'http')
    throw new AppError(
      'IMPORT_AT_TERMINAL',
      `The import ${found.number} was begun at a terminal. Resume it there: coursectl imports resume ${found.number}`,
    );
  const fields = {
    // An import that was only planned runs only after somebody applies the plan.
    status: (await hasOpenPlan(core, found)) ? 'planning' : 'queued',
    cancelRequested: false,
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
  } satisfies Partial<InferAttributes<Import>>;
  return changeUnfinished(core, actor, found, fields, { isLeased: false });
}

/** Whether the import has a plan that nobody has applied. */
async function hasOpenPlan(core: Core, record: Import): Promise<boolean> {
  const plan = await findPlan(core, record);
  return plan !== null && plan.appliedAt === null && record.rowsDone === 0;
}

/** Statuses of imports that never wrote anything. */
const neverApplied: readonly ImportStatus[] = ['planning', 'planned', 'discarded', 'expired'];

/**
 * Returns the effects of undoing an import now.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT`, `IMPORT_ROWS_DELETED`, `COURSE_LOST`, `INTERRUPTED`
 */
export async function previewUndo(core: Core, actor: Actor, id: string, signal?: AbortSignal): Promise<UndoResult> {
  const record = await findImport(core, actor, id);
  await assertUndoable(core, actor, record);
  return undoShownTo(core, actor, await previewUndoRows(core, record, signal));
}

/**
 * Whether undoing an import may remove or restore accounts.
 * @param record import with its live status, see {@link findImport}
 */
export async function canUndo(core: Core, record: Import): Promise<boolean> {
  const { id, status, counts, ledgerClosedAt } = record;
  const hasChanges = counts.created + counts.updated + counts.enrolled + counts.waiting + counts.left > 0;
  if (!hasChanges || ledgerClosedAt !== null) return false;
  if (neverApplied.includes(status) || ['queued', 'running', 'undoing'].includes(status)) return false;
  return status !== 'undone' || hasKeptAccounts(core, id);
}

async function assertUndoable(core: Core, actor: Actor, record: Import, transaction?: Transaction): Promise<void> {
  const { id, number, status } = record;
  if (actor.role !== 'super_admin') await assertTrainerHasCourse(core, record);
  if (neverApplied.includes(status)) throw statusConflict(record, 'there is nothing to undo.');
  if (status === 'queued' || status === 'running') throw statusConflict(record, `first ${howToCancel(record)}`);
  assertLedgerKept(record, "it can't be undone.");
  if (status === 'undone' && !(await hasKeptAccounts(core, id, transaction)))
    throw new AppError('IMPORT_CONFLICT', `The import ${number} is undone already.`, { params: { status } });
}

/**
 * Removes the accounts and enrollments that an import created, and restores those that it updated. Accounts that were used or
 * changed since are kept and returned: the import can be undone again when they are no longer used.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT`, `IMPORT_ROWS_DELETED`, `IMPORT_BUSY`, `COURSE_LOST`
 */
export async function undoImport(
  core: Core,
  actor: Actor,
  id: string,
  options: Pick<ApplyOptions, 'signal' | 'onWait' | 'onProgress'>,
): Promise<UndoResult> {
  const record = await findImport(core, actor, id);
  await assertUndoable(core, actor, record);
  return withImportLease(core, record, options, async (lease) => {
    const step: CommitStep = (progress, work) =>
      commitProgress({ core, lease, record }, progress, async (transaction) => {
        await record.reload({ transaction, lock: transaction.LOCK.UPDATE });
        // This process holds the lease, so `running` means interrupted. Other statuses may have changed before this process got the lease.
        if (record.status !== 'running') await assertUndoable(core, actor, record, transaction);
        await work(transaction);
      });
    const result = await undoRows(core, actor, record, step, options.onProgress);
    await step({ status: 'undone', undoneAt: core.now() }, async () => undefined);
    await removeSpooledFile(core, record);
    return undoShownTo(core, actor, result);
  });
}

/**
 * Cancels a queued or running import. A running import stops at the next row boundary and keeps its rows. An import that is
 * only planned is discarded with its file.
 * @throws AppError `NOT_FOUND`, `IMPORT_CONFLICT` if the import has ended
 */
export async function cancelImport(core: Core, actor: Actor, id: string): Promise<Import> {
  await findImport(core, actor, id);
  const record = await recordCancellation(core, actor, id);
  // If the removal fails, the cleanup jobs remove the plan and the file later.
  if (record.status === 'discarded') await removeDiscarded(core, record);
  return record;
}

/** @throws AppError `IMPORT_CONFLICT` */
async function recordCancellation(core: Core, actor: Actor, id: string): Promise<Import> {
  return core.database.inTransaction(async (transaction) => {
    const record = await lockImport(core, id, transaction);
    const isPlanned = record.status === 'planning' || record.status === 'planned';
    if (!isPlanned && record.status !== 'queued' && record.status !== 'running' && record.status !== 'interrupted')
      throw statusConflict(record, 'there is nothing to cancel.');
    // If no process runs the import, nobody would notice the request, so the import ends here.
    const ended = record.status !== 'running' || !(await hasActiveLease(core, record, transaction));
    await record.update(
      {
        cancelRequested: true,
        ...(ended && { status: isPlanned ? 'discarded' : 'cancelled', finishedAt: core.now() }),
      },
      { transaction },
    );
    await recordAudit(core, actor, { action: 'import.cancel', targetType: 'import', targetId: id }, transaction);
    if (record.status === 'cancelled') await auditFinish(core, actor, record, record.counts, transaction);
    return record;
  });
}
