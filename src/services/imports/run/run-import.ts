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
import { takeLeaversOut } from './leavers.js';
import { assertUnchanged, commitProgress, FileChanged, type ImportRun, refuse, UndoRequired } from './run-state.js';

export interface ApplyOptions extends ReportPaths {
  signal: AbortSignal;
  /** Approved number of members who leave, for a sync that is held otherwise. */
  allowLeaving?: number | undefined;
  /** The import to resume. If absent, an unfinished import of the same file and options is resumed, or a new one begins. */
  record?: Import;
  onProgress?(rowsDone: number): void;
  /** Called a single time if an unfinished import of the same file is resumed. */
  onResume?(rowsDone: number): void;
  /** Called a single time if another run of the same file must end first, or its lease must expire. */
  onWait?(): void;
  /** Called before throwing an error that leaves an unfinished import. @param canResume false if the file has changed */
  onBreakOff?(unfinished: ImportResult, canResume: boolean): void;
}

export interface AppliedImport extends ImportResult {
  /** Reasons why rows were skipped or rejected, including earlier runs. */
  reasons: readonly PlanReason[];
  /** Number of queued invitations, including earlier runs. */
  invitations: number;
  /** Number of queued mails about enrollments, including earlier runs. */
  news: number;
}

/**
 * Runs an import under the lease of its file and options, from the first remaining row.
 * @throws UndoRequired if the import is refused after its first rows
 * @throws AppError for the other errors of `applyUnderLease` in queue/apply.ts
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
    // If the signal is already aborted, the run ends at its first row, so that it is recorded and can be resumed.
    const table = await openPeople(request, options.signal.aborted ? undefined : options.signal);
    file = readPeople(table, reading, limits.batchRows, plan.repetitions);
    const { mapping } = file;
    const unfinished = await unfinishedRecord(core, plan, options.record);
    // Another process has ended the unfinished run: nothing is left to undo.
    if (plan.refusal !== null && !unfinished) throw new AppError('IMPORT_REFUSED', plan.refusal);
    if (unfinished?.status === 'undoing') throw new UndoRequired(unfinished, unfinished.errorMessage ?? '');
    const { phoneMatches: planned, roster } = plan;
    const decider = await Decider.open(core, plan.options, unfinished, { planned, roster: roster ?? undefined });
    reports = await openReports(core, unfinished, file, plan.file, options);
    const record = unfinished ?? (await startImport(core, actor, plan));
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
    if (unfinished) await resumeRecord(run, options.record === undefined);
    if (plan.refusal !== null) throw await refuse(run, plan.refusal);
    if (record.rowsDone > 0) options.onResume?.(record.rowsDone);
    await takeLeaversOut(run, options.signal);
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

/** Replaces the reports of an ended import by workbooks, if their names end in `.xlsx.csv`. After a crash, they stay CSV. */
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

async function countMails({ database }: Core, { options: { invite, notify } }: ImportPlan, { id: importId }: Import) {
  const count = (kind: MailKind | MailKind[]) =>
    database.read(() => database.models.Mail.count({ where: { importId, kind } }));
  return { invitations: invite ? await count('invitation') : 0, news: notify ? await count([...newsKinds]) : 0 };
}

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

/** Returns the import to resume, read again under the lease, because it may have been undone before. */
async function unfinishedRecord(core: Core, plan: ImportPlan, record: Import | undefined): Promise<Import | null> {
  if (!record) return findUnfinished(core, plan);
  await core.database.read(() => record.reload());
  // The service itself resumes queued imports. If an import is still `running` under our lease, its process is dead.
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
    // Running the command again overrides a cancellation; the service respects a cancellation.
    ...(byCommand && { cancelRequested: false }),
    // A new password file can be fetched again.
    ...(reports.credentials.length === 0 && { credentialsFetchedAt: null }),
  };
  // The lease is renewed in this transaction, so no other run can replace the files before it commits.
  await commitProgress(run, progress, async (transaction) => {
    // The lock orders this before or after the closing of the ledger, see services/maintenance/ledger-retention.ts.
    assertResumable(await lockImport(core, record.id, transaction));
    await reports.credentials.publish();
    await reports.rejects.publish();
    // `resumeImport` and the service record resumption themselves.
    if (byCommand)
      await recordAudit(
        core,
        run.actor,
        { action: 'import.resume', targetType: 'import', targetId: record.id },
        transaction,
      );
  });
}

/** Returns the cause of a failed run: {@link FileChanged} if the run can't read a file that has changed since planning. */
async function rootCauseOf(failure: unknown, plan: ImportPlan): Promise<unknown> {
  if (!isAppError(failure, 'IMPORT_FILE_INVALID')) return failure;
  return assertUnchanged(plan).then(
    () => failure,
    (change: unknown) => change,
  );
}

/** Whether an error leaves this run's import unfinished. After a conflict, the import may belong to another process. */
const breaksOff = ({ record }: ImportRun, error: unknown): boolean =>
  record.status === 'running' && (error instanceof FileChanged || !isAppError(error, ...importConflicts));

/** Records the failure for the list of imports, if the database still works. The caller throws the error itself. */
async function noteFailure(run: ImportRun, error: unknown): Promise<void> {
  const known = isAppError(error)
    ? { errorCode: error.code, errorMessage: messageFor(run.record, error) }
    : { errorCode: 'BUG' };
  // The error that ended the run says more than an error of the database.
  await commitProgress(run, { status: 'interrupted', ...known }).catch(() => undefined);
}

const messageFor = (record: Import, { message }: AppError): string =>
  record.origin === 'http' ? withoutPaths(message, record) : message;
