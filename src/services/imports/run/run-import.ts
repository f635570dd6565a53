import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import type { PlanReason } from '../../../db/models/import-plan.js';
import { AppError, isAppError } from '../../../errors.js';
import { newsKinds } from '../../../schemas/mail-preferences.js';
import { recordAudit } from '../../audit/audit.js';
import { passwordPolicy } from '../../auth/password-policy.js';
import type { Actor, Core } from '../../core.js';
import type { MailKind } from '../../mail/kinds.js';
import { makeWorkbook } from '../output/report-downloads.js';
import { closeReports, openReports, type ReportPaths, type Reports, reportColumns } from '../output/reports.js';
import { Decider } from '../plan/decider.js';
import type { ImportPlan } from '../plan/plan.js';
import { ReasonGroups } from '../plan/reasons.js';
import { findUnfinished } from '../plan/unfinished.js';
import { type ImportFile, readPeople } from '../read/import-file.js';
import { cellMaskFor } from '../read/preview.js';
import { openPeople } from '../read/thread/read-file.js';
import { assertResumable } from '../store/ledger.js';
import {
  createImport,
  type ImportResult,
  importConflicts,
  lockImport,
  planColumns,
  resultOf,
} from '../store/repository.js';
import { removeSpooledFile, withoutPaths } from '../store/spool.js';
import { importRows } from './batches.js';
import { assertUnfinished } from './import-lock.js';
import { assertUnchanged, commitProgress, FileChanged, type ImportRun, refuse, UndoRequired } from './run-state.js';

/** How a plan is applied. */
export interface ApplyOptions extends ReportPaths {
  signal: AbortSignal;
  /** The import to resume; when absent, an unfinished one of the same file and options, or a new one. */
  record?: Import;
  onProgress?(rowsDone: number): void;
  /** Called once when an unfinished import of the same file is resumed. */
  onResume?(rowsDone: number): void;
  /** Called once when another run of the same file must end first, or its lease must expire. */
  onWait?(): void;
  /** Called before a failure is thrown that leaves an unfinished import. @param canResume false when its file has changed */
  onBreakOff?(unfinished: ImportResult, canResume: boolean): void;
}

/** What an import has done. */
export interface AppliedImport extends ImportResult {
  /** Why rows were skipped or rejected, in earlier runs too. */
  reasons: readonly PlanReason[];
  /** Mails that were queued, in earlier runs too. */
  invitations: number;
  /** Mails about enrollments that were queued, in earlier runs too. */
  news: number;
}

/**
 * Runs an import under the lease of its file and options, from the first row that is not done.
 * @throws AppError as `applyUnderLease` in queue/apply.ts, but {@link UndoRequired} for one that is refused after its first rows
 */
export async function runImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
  lease: Lease,
): Promise<AppliedImport> {
  let file: ImportFile | undefined;
  let reports: Reports | undefined;
  let run: ImportRun | undefined;
  try {
    await assertUnchanged(plan);
    const reading = { ...plan, policy: await passwordPolicy(core.config) };
    const { imports: limits } = core.config;
    const source = { ...plan.format, isWorkbook: plan.format.workbook !== null };
    const request = { file: plan.file, source, options: plan.options, limits };
    // A run that is interrupted before ends at its first row, so that it is recorded and can be resumed.
    const table = await openPeople(request, options.signal.aborted ? undefined : options.signal);
    file = readPeople(table, reading, limits.batchRows, plan.repetitions);
    const { mapping } = file;
    const begun = await unfinishedRecord(core, plan, options.record);
    // Another process has ended the unfinished run: nothing is left to undo.
    if (plan.refusal !== null && !begun) throw new AppError('IMPORT_REFUSED', plan.refusal);
    if (begun?.status === 'undoing') throw new UndoRequired(begun, begun.errorMessage ?? '');
    const decider = await Decider.open(core, plan.options, begun, plan.phoneMatches);
    reports = await openReports(core, begun, file, plan.file, options);
    const record = begun ?? (await startImport(core, actor, plan));
    run = {
      core,
      actor,
      plan,
      record,
      lease,
      reports,
      mapping,
      mask: cellMaskFor(mapping),
      decider,
      reasons: new ReasonGroups(),
    };
    if (begun) await resumeRecord(run, options.record === undefined);
    if (plan.refusal !== null) throw await refuse(run, plan.refusal);
    if (record.rowsDone > 0) options.onResume?.(record.rowsDone);
    await importRows(run, file.batches, options);
    if (record.status === 'completed' || record.status === 'stopped') {
      await removeSpooledFile(core, record);
      await makeWorkbooks(run);
    }
    return { ...resultOf(record), reasons: run.reasons.list(), ...(await countMails(core, plan, record)) };
  } catch (failure) {
    const error = await rootCauseOf(failure, plan);
    if (run && breaksOff(run, error)) {
      await noteFailure(run, error);
      options.onBreakOff?.({ ...resultOf(run.record), status: 'interrupted' }, !(error instanceof FileChanged));
    }
    throw error;
  } finally {
    await file?.close();
    if (reports) await closeReports(reports);
  }
}

/** Replaces the reports of an import that has ended by workbooks, where their names ask for it. After a crash they stay CSV. */
async function makeWorkbooks(run: ImportRun): Promise<void> {
  const { number, status, credentialsFile, rejectsFile } = resultOf(run.record);
  const { credentialsBytes, rejectsBytes } = run.record;
  for (const { kind, file, bytes } of [
    { kind: 'credentials', file: credentialsFile, bytes: credentialsBytes },
    { kind: 'rejects', file: rejectsFile, bytes: rejectsBytes },
  ] as const) {
    if (file === null) continue;
    const made = await makeWorkbook({ kind, file, bytes: Number(bytes) }, `take ${file}`).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      throw new AppError(error.code, `The import ${number} is ${status}. ${error.message}`, { cause: error });
    });
    if (!made) continue;
    await commitProgress(
      run,
      kind === 'rejects'
        ? { rejectsFile: made.file, rejectsBytes: made.bytes }
        : { credentialsFile: made.file, credentialsBytes: made.bytes },
    );
    await rm(file, { force: true });
  }
}

/** How many mails an import has queued. */
async function countMails({ database }: Core, { options: { invite, notify } }: ImportPlan, { id: importId }: Import) {
  const count = (kind: MailKind | MailKind[]) =>
    database.read(() => database.models.Mail.count({ where: { importId, kind } }));
  return { invitations: invite ? await count('invitation') : 0, news: notify ? await count([...newsKinds]) : 0 };
}

/** Records an import that starts now. */
function startImport(core: Core, actor: Actor, plan: ImportPlan): Promise<Import> {
  return createImport(core, actor, {
    status: 'running',
    fileName: path.basename(plan.file),
    filePath: path.resolve(plan.file),
    fileSha256: plan.fileSha256,
    options: plan.options,
    ...planColumns(plan),
  });
}

/** The import to resume, read again under the lease: it may have been undone meanwhile. */
async function unfinishedRecord(core: Core, plan: ImportPlan, record: Import | undefined): Promise<Import | null> {
  if (!record) return findUnfinished(core, plan);
  await core.database.read(() => record.reload());
  // Queued imports are the service's own. An import that is still `running` under our lease belongs to a dead process.
  assertUnfinished(record, ['queued', 'running']);
  return record;
}

/** Marks a queued or interrupted import as running. */
async function resumeRecord(run: ImportRun, byCommand: boolean): Promise<void> {
  const { core, plan, record, reports } = run;
  const progress = {
    status: 'running' as const,
    ...(record.rowsDone === 0 && planColumns(plan)),
    ...reportColumns(reports),
    startedAt: record.startedAt ?? core.now(),
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    // Running the command again overrules a cancellation; the service respects one.
    ...(byCommand && { cancelRequested: false }),
    // A new file of passwords can be fetched again.
    ...(reports.credentials.length === 0 && { credentialsFetchedAt: null }),
  };
  // The lease is renewed in this transaction, so no other run can replace the files before it commits.
  await commitProgress(run, progress, async (transaction) => {
    // Locked, so that the ledger is closed before, or not at all: see services/maintenance/ledger-retention.ts.
    assertResumable(await lockImport(core, record.id, transaction));
    await reports.credentials.publish();
    await reports.rejects.publish();
    // Resuming by its number, or by the service, is recorded before.
    if (byCommand)
      await recordAudit(
        core,
        run.actor,
        { action: 'import.resume', targetType: 'import', targetId: record.id },
        transaction,
      );
  });
}

/** What has made a run fail. Planning could read the file: if it can't be read as CSV any more, it has changed. */
async function rootCauseOf(failure: unknown, plan: ImportPlan): Promise<unknown> {
  if (!isAppError(failure, 'IMPORT_FILE_INVALID')) return failure;
  return assertUnchanged(plan).then(
    () => failure,
    (change: unknown) => change,
  );
}

/** Whether a failure leaves an unfinished import. After a conflict with another process it may be that one's. */
const breaksOff = ({ record }: ImportRun, error: unknown): boolean =>
  record.status === 'running' && (error instanceof FileChanged || !isAppError(error, ...importConflicts));

/** Records the failure for the list of imports, if the database still can. The caller throws the error itself. */
async function noteFailure(run: ImportRun, error: unknown): Promise<void> {
  const known = isAppError(error)
    ? { errorCode: error.code, errorMessage: messageFor(run.record, error) }
    : { errorCode: 'BUG' };
  // The error that ended the run says more than one of the database would.
  await commitProgress(run, { status: 'interrupted', ...known }).catch(() => undefined);
}

const messageFor = (record: Import, { message }: AppError): string =>
  record.origin === 'http' ? withoutPaths(message, record) : message;
