import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, isAppError } from '../../../errors.js';
import { optionsText } from '../../../schemas/import.js';
import { passwordPolicy } from '../../auth/password-policy.js';
import type { Actor, Core } from '../../core.js';
import { closeReports, openReports, type ReportPaths, type Reports } from '../output/report-files.js';
import { Decider } from '../plan/decider.js';
import { findUnfinished, type ImportPlan } from '../plan/plan.js';
import { removeOwnCopy } from '../queue/spool.js';
import { type ImportFile, openImportFile } from '../read/rows.js';
import { fileBytes } from '../read/source-file.js';
import { importRows, refuseAndTakeBack } from './batches.js';
import { assertUnfinished, withImportLease } from './import-lock.js';
import { type ImportResult, planOf, reportsOf, resultOf, startImport } from './repository.js';
import { advance, assertUnchanged, type Running } from './running.js';

/** How a plan is applied. */
export interface ApplyOptions extends ReportPaths {
  signal: AbortSignal;
  /** The import to go on with; when absent, one of the same file and options that broke off, or a new one. */
  record?: Import;
  onProgress(rowsDone: number): void;
  /** Told once when an import of the same file that broke off is taken up again. */
  onResume(rowsDone: number): void;
  /** How long it waits for another run of the same file, in milliseconds; for one that died when absent. */
  waitMs?: number;
  /** Told once when another run of the same file has to end first, or to turn out dead. */
  onWait(): void;
}

/**
 * Does what a plan says, batch by batch: each commits its accounts, its ledger rows and its progress together, after
 * the passwords of its accounts are on the disk. A run that broke off at any moment is taken up by the next call for
 * the same file and options, and ends as an uninterrupted one would have.
 * @throws AppError `IMPORT_REFUSED`, `IMPORT_CONFLICT`, `USAGE` for paths that can't be used, `FILE_UNUSABLE`, `INTERRUPTED`
 */
export async function applyImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
): Promise<ImportResult> {
  if (plan.refusal !== null && !mustTakeBack(plan)) throw new AppError('IMPORT_REFUSED', plan.refusal);
  return withImportLease(core, plan.fileSha256, optionsText(plan.options), options, (lease) =>
    runImport(core, actor, plan, options, lease),
  );
}

/** Whether a run of the plan's file broke off of which nothing may stay, as an uninterrupted one would have left nothing. */
function mustTakeBack({ refusal, options, unfinished }: ImportPlan): boolean {
  return refusal !== null && options.onError === 'abort' && unfinished !== null && unfinished.rowsDone > 0;
}

async function runImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
  lease: Lease,
): Promise<ImportResult> {
  let file: ImportFile | undefined;
  let reports: Reports | undefined;
  let running: Running | undefined;
  try {
    await assertUnchanged(plan);
    const reading = { ...plan, policy: await passwordPolicy(core.config) };
    file = await openImportFile(fileBytes(plan.file), reading, core.config.imports, plan.repetitions);
    const { mapping } = file;
    const begun = await unfinishedRecord(core, plan, options.record);
    // Somebody else has ended the run that broke off: nothing of it is left to be taken back.
    if (plan.refusal !== null && !begun) throw new AppError('IMPORT_REFUSED', plan.refusal);
    const decider = await Decider.open(core, plan.options, begun, plan.phoneMatches);
    reports = await openReports(core, begun, file, plan.file, options);
    const record = begun ?? (await startImport(core, actor, plan, reports));
    running = {
      core,
      actor,
      plan,
      record,
      lease,
      reports,
      mapping,
      decider,
      rounds: 0,
      cancelCheckedAt: Number.NEGATIVE_INFINITY,
      isCutShort: false,
    };
    if (begun) await resumeRecord(running, options.record === undefined);
    if (plan.refusal !== null) return await refuseAndTakeBack(running, plan.refusal);
    if (record.rowsDone > 0) options.onResume(record.rowsDone);
    await importRows(running, file.batches, options);
    if (record.status === 'completed' || record.status === 'stopped') await removeOwnCopy(core, record);
    return resultOf(record);
  } catch (error) {
    if (running) await noteFailure(running, error);
    // The plan could read it: it must have changed.
    if (isAppError(error, 'IMPORT_FILE_INVALID')) await assertUnchanged(plan);
    throw error;
  } finally {
    await file?.close();
    if (reports) await closeReports(reports);
  }
}

/** The import to go on with, as it is now that it is this run's turn: it may have been undone meanwhile. */
async function unfinishedRecord(core: Core, plan: ImportPlan, record: Import | undefined): Promise<Import | null> {
  if (!record) return findUnfinished(core, plan);
  await core.database.read(() => record.reload());
  // Those that wait are the service's own; of those that run, whoever ran them is dead.
  assertUnfinished(record, ['queued', 'running']);
  return record;
}

/** An import that was queued or broke off is under way again. */
async function resumeRecord(running: Running, byCommand: boolean): Promise<void> {
  const { core, plan, record, reports } = running;
  const progress = {
    status: 'running' as const,
    // What is left may be another plan's by now: then the first one is not gone on with.
    ...((record.rowsDone === 0 || record.planRestId !== plan.id) && planOf(plan)),
    ...reportsOf(reports),
    startedAt: record.startedAt ?? core.now(),
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    // Whoever runs the command again wants it to go on; the service may have been told meanwhile that it should not.
    ...(byCommand && { cancelRequested: false }),
    // A file of passwords that is begun anew can be fetched anew.
    ...(reports.credentials.length === 0 && { credentialsFetchedAt: null }),
  };
  // It is known by now whose turn it is, and stays so until this is committed.
  await advance(running, progress, async () => {
    await reports.credentials.takePlace();
    await reports.rejects.takePlace();
  });
}

/** The list of imports tells what happened, as far as the database can still be told. The error itself goes on its way. */
async function noteFailure(running: Running, error: unknown): Promise<void> {
  if (running.record.status !== 'running' || isAppError(error, 'IMPORT_CONFLICT')) return;
  const known = isAppError(error) ? { errorCode: error.code, errorMessage: error.message } : { errorCode: 'BUG' };
  // The error that ended the run says more than another one of the database would.
  await advance(running, { status: 'interrupted', ...known }).catch(() => undefined);
}
