import path from 'node:path';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import { serializeImportOptions } from '../../../schemas/import.js';
import type { Actor, Core } from '../../core.js';
import { holdSync } from '../../groups/rosters.js';
import { type ImportPlan, type PlanRequest, planImport } from '../plan/plan.js';
import { syncHeldError } from '../plan/roster.js';
import { withImportLease, withRosterLease } from '../run/import-lock.js';
import { type AppliedImport, type ApplyOptions, runImport } from '../run/run-import.js';
import { commitProgress, UndoRequired } from '../run/run-state.js';
import { countKept } from '../store/ledger.js';
import { findPlan } from '../store/plan-store.js';
import { hasWritten, isUndoOfRefusedImport, optionsOf } from '../store/repository.js';
import { removeSpooledFile } from '../store/spool.js';
import { undoRows } from '../undo/undo.js';

/**
 * Makes sure that a new plan equals the plan that a person has seen, or plans the remaining rows of that plan.
 * @param next last sentence of the message: the next step for the person
 * @throws AppError `PLAN_OUTDATED`
 */
export function assertPlanCurrent({ id, unfinished }: ImportPlan, seen: string, next = 'Plan the import again.'): void {
  if (seen === id || (unfinished !== null && hasWritten(unfinished) && seen === unfinished.planId)) return;
  throw new AppError(
    'PLAN_OUTDATED',
    `The plan ${seen} is out of date: the file, the options, the accounts or the courses have changed. Nothing was written. ${next}`,
  );
}

/**
 * Plans the remaining rows of a recorded import.
 * @throws AppError `FILE_UNUSABLE` if the file has changed, `PLAN_OUTDATED` if the effects would differ from the applied
 *   plan, and the errors of {@link planImport}
 */
export async function planRecorded(
  core: Core,
  record: Import,
  request: Omit<PlanRequest, 'file' | 'options' | 'record'>,
): Promise<ImportPlan> {
  const { filePath: file, fileSha256, planId } = record;
  const plan = await planImport(core, { ...request, file, options: optionsOf(record), record });
  if (plan.fileSha256 !== fileSha256)
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${file} has changed since the import began. Restore it, or import it again.`,
    );
  const applied = await findPlan(core, record);
  if (planId !== null && applied?.appliedAt) assertPlanCurrent(plan, planId);
  return plan;
}

/** Takes the lease and applies a plan. @throws AppError `IMPORT_BUSY`, `INTERRUPTED`, and the errors of {@link applyUnderLease} */
export async function applyImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
): Promise<AppliedImport> {
  const file = { fileSha256: plan.fileSha256, optionsJson: serializeImportOptions(plan.options) };
  return withImportLease(core, options.record ?? file, options, (lease) =>
    applyUnderLease(core, actor, plan, options, lease),
  );
}

/**
 * Applies a plan batch by batch. Each batch commits its accounts, ledger rows and progress together, after the passwords of
 * its accounts are on the disk. After an interruption at any moment, the next call for the same file and options resumes the
 * run, with the same result as an uninterrupted run.
 * @throws AppError `IMPORT_REFUSED`, `IMPORT_CONFLICT`, `USAGE` for unusable paths, `FILE_UNUSABLE`
 */
export async function applyUnderLease(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
  lease: Lease,
): Promise<AppliedImport> {
  if (plan.refusal !== null && !isUndoRequired(plan)) throw new AppError('IMPORT_REFUSED', plan.refusal);
  await holdUnlessAllowed(core, actor, plan, options.allowLeaving);
  try {
    return await withRosterLease(core, plan.options, options, () => runImport(core, actor, plan, options, lease));
  } catch (error) {
    throw error instanceof UndoRequired ? await undoRefused(core, actor, error.record, lease) : error;
  }
}

/**
 * Holds a sync in which too many members would leave, unless a person has approved exactly this number. Records the held sync in
 * its group.
 * @throws AppError `SYNC_HELD`
 */
async function holdUnlessAllowed(
  core: Core,
  actor: Actor,
  { file, options, roster }: ImportPlan,
  allowed: number | undefined,
): Promise<void> {
  const { groupId = null, held = null } = roster ?? {};
  if (held === null || groupId === null || held.leaving === allowed) return;
  await holdSync(core, actor, groupId, { ...held, file: path.basename(file) });
  throw syncHeldError(options.roster ?? '', held);
}

/** Whether the rows of an unfinished run must be undone. With `abort`, an uninterrupted run would have written nothing. */
function isUndoRequired({ refusal, options, unfinished }: ImportPlan): boolean {
  if (refusal === null || options.onError !== 'abort' || unfinished === null) return false;
  return hasWritten(unfinished) || unfinished.status === 'undoing';
}

/**
 * Undoes the rows of a refused import, unless another process has already undone them. If the undo is interrupted, the next
 * call continues the undo.
 * @param lease lease of the file and options of the import
 * @returns the error to throw, which is recorded as the end of the import
 */
export async function undoRefused(core: Core, actor: Actor, record: Import, lease: Lease): Promise<AppError> {
  await core.database.read(() => record.reload());
  const why = record.errorMessage ?? '';
  if (!isUndoOfRefusedImport(record)) return new AppError('IMPORT_REFUSED', why);
  const step = { core, record, lease };
  await undoRows(core, actor, record, (progress, work) => commitProgress(step, progress, work));
  const kept = await countKept(core, record.id);
  // The past tense stays true if the accounts are undone later.
  const rest =
    kept === 0
      ? 'Nothing was imported.'
      : `What was imported was undone, except for ${kept === 1 ? '1 account that had' : `${kept} accounts that had`} been used or changed since: coursectl imports show ${record.number}`;
  const error = new AppError('IMPORT_REFUSED', `${why} ${rest}`);
  const now = core.now();
  const end = { status: 'undone', finishedAt: now, undoneAt: now } as const;
  await commitProgress(step, { ...end, errorCode: error.code, errorMessage: error.message });
  await removeSpooledFile(core, record);
  return error;
}
