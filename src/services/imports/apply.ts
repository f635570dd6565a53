import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InferAttributes, Transaction } from 'sequelize';
import { type Lease, withLease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError, isAppError } from '../../errors.js';
import { optionsText } from '../../schemas/import.js';
import type { Actor, Core } from '../core.js';
import { credentialLines, prepareSecrets, type Secrets, StaleDecision, writeBatch } from './batch.js';
import type { ColumnMapping } from './columns.js';
import { Seats } from './course-book.js';
import { fileBytes, fileIdentity } from './csv-source.js';
import { Decider } from './existing.js';
import { lookAhead } from './look-ahead.js';
import { type Decision, takesSeat } from './outcomes.js';
import { findUnfinished, type ImportPlan, upToFirstRejected } from './plan.js';
import { type ImportResult, leaseName, planOf, progressAfter, reportsOf, resultOf, startImport } from './record.js';
import { openReports, type ReportPaths, type Reports } from './report-files.js';
import { type FileRow, type ImportFile, openImportFile } from './rows.js';
import { takeBack } from './undo.js';

export interface ApplyOptions extends ReportPaths {
  signal: AbortSignal;
  /** The import to go on with; when absent, one of the same file and options that broke off, or a new one. */
  record?: Import;
  onProgress(rowsDone: number): void;
  /** Told once when an import of the same file that broke off is taken up again. */
  onResume(rowsDone: number): void;
  /** Told once when another run of the same file has to end first, or to turn out dead. */
  onWait(): void;
}

/** A run that isn't heard of for so long is dead. */
const leaseMs = 10_000;
/** How long the next one waits for it. */
const leaseWaitMs = 15_000;
/** How many batches are decided and hashed while one is being written. */
const batchesAhead = 2;
/** How often a batch starts over because others created its accounts first, or because the database was busy. */
const batchAttempts = 25;

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
  if (plan.refusal !== null) throw new AppError('IMPORT_REFUSED', plan.refusal);
  return withImportLease(core, plan.fileSha256, optionsText(plan.options), options, (lease) =>
    runImport(core, actor, plan, options, lease),
  );
}

/** Runs `work` while nobody else works on an import of this file with these options. */
export function withImportLease<T>(
  core: Core,
  fileSha256: string,
  options: string,
  { signal, onWait }: Pick<ApplyOptions, 'signal' | 'onWait'>,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', 'This file is being imported by another process. Wait for it to end.');
  const leaseOptions = { durationMs: leaseMs, signal, onWait };
  return withLease(core.database, leaseName(fileSha256, options), leaseWaitMs, refusal, work, leaseOptions);
}

/** One run of an import, and what it works with. */
interface Running {
  core: Core;
  actor: Actor;
  plan: ImportPlan;
  record: Import;
  lease: Lease;
  reports: Reports;
  mapping: ColumnMapping;
  decider: Decider;
  cancelCheckedAt: number;
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
    file = await openImportFile(fileBytes(plan.file), plan, core.config.imports, plan.repetitions);
    const { mapping } = file;
    const begun = options.record ? await options.record.reload() : await findUnfinished(core, plan);
    const decider = await Decider.open(core, plan.options, begun);
    reports = await openReports(core, begun, mapping, plan.file, options);
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
      cancelCheckedAt: Number.NEGATIVE_INFINITY,
    };
    if (begun) await resumeRecord(running, options.record === undefined);
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
    await reports?.credentials.close();
    await reports?.rejects.close();
  }
}

/**
 * Removes the program's own copy of a file that is done with: an upload, or what came from standard input. It holds
 * people's data and, at times, their passwords.
 */
async function removeOwnCopy(core: Core, { filePath }: Import): Promise<void> {
  const own = path.join(core.config.dataDir, 'imports') + path.sep;
  if (!filePath.startsWith(own)) return;
  await rm(filePath, { force: true });
  // Its folder may hold the files that the import wrote: then it stays.
  await rmdir(path.dirname(filePath)).catch(() => undefined);
}

/** An import that was queued or broke off is under way again. */
async function resumeRecord(running: Running, byCommand: boolean): Promise<void> {
  const { core, plan, record, reports } = running;
  await advance(running, {
    status: 'running',
    ...(record.rowsDone === 0 && planOf(plan)),
    ...reportsOf(reports),
    startedAt: record.startedAt ?? core.now(),
    finishedAt: null,
    errorCode: null,
    errorMessage: null,
    // Whoever runs the command again wants it to go on; the service may have been told meanwhile that it should not.
    ...(byCommand && { cancelRequested: false }),
    // A file of passwords that is begun anew can be fetched anew.
    ...(reports.credentials.length === 0 && { credentialsFetchedAt: null }),
  });
}

/** The list of imports tells what happened, as far as the database can still be told. The error itself goes on its way. */
async function noteFailure(running: Running, error: unknown): Promise<void> {
  if (running.record.status !== 'running' || isAppError(error, 'IMPORT_CONFLICT')) return;
  const known = isAppError(error) ? { errorCode: error.code, errorMessage: error.message } : { errorCode: 'BUG' };
  await advance(running, { status: 'interrupted', ...known }).catch(() => undefined);
}

async function assertUnchanged({ file, fileIdentity: planned }: ImportPlan): Promise<void> {
  const current = await fileIdentity(file).catch(() => undefined);
  if (current !== planned)
    throw new AppError(
      'IMPORT_CONFLICT',
      `The file ${file} was changed after it was read. Import it again: rows that are done are skipped.`,
    );
}

/**
 * Commits how far the import is, with the work that brought it there: only the process does whose turn it is.
 * @param work may run more than once
 */
async function advance(
  { core, lease, record }: Pick<Running, 'core' | 'lease' | 'record'>,
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    // One after the other: what waits on the connection when the database ends the transaction commits by itself.
    if (!(await lease.renew(transaction)))
      throw new AppError('IMPORT_CONFLICT', `The import ${record.id} was taken over by another process.`);
    await work(transaction);
    await core.database.models.Import.update(progress, { where: { id: record.id }, transaction });
  });
  record.set(progress, { raw: true });
}

/** A batch on its way into the database. */
interface PreparedBatch {
  rows: readonly FileRow[];
  /** Absent when they depend on what the batch before it brought: on the seats that are left. */
  decisions: readonly Decision[] | undefined;
  secrets: Secrets;
}

/** Decides on the batches that are not done, and hashes their passwords: the next one while one is being written. */
async function* prepareBatches(
  { core, plan, record, decider }: Running,
  batches: AsyncGenerator<FileRow[]>,
  signal: AbortSignal,
): AsyncGenerator<PreparedBatch> {
  // Rows that are done are read again all the same: later ones may repeat their emails and phones.
  const done = record.rowsDone;
  let read = 0;
  for await (const batch of batches) {
    read += batch.length;
    const rows = read - batch.length < done ? batch.slice(batch.length - (read - done)) : batch;
    if (read <= done) continue;
    // Whoever takes the batches ends the import.
    if (signal.aborted) return;
    const decisions = await decider.decide(rows, new Seats(core));
    const secrets: Secrets = new Map();
    await prepareSecrets(core, decided(plan, decisions), secrets);
    yield { rows, decisions: decisions.some(takesSeat) ? undefined : decisions, secrets };
  }
}

/** The decisions that count: with `stop` none after the first bad row. */
function decided({ options }: ImportPlan, decisions: readonly Decision[]): readonly Decision[] {
  return options.onError === 'stop' ? upToFirstRejected(decisions) : decisions;
}

async function importRows(
  running: Running,
  batches: AsyncGenerator<FileRow[]>,
  { signal, onProgress }: ApplyOptions,
): Promise<void> {
  const { core, plan, record } = running;
  for await (const batch of lookAhead(prepareBatches(running, batches, signal), batchesAhead)) {
    if (signal.aborted) break;
    if (await cancelRequested(running)) return advance(running, { status: 'cancelled', finishedAt: core.now() });
    await assertUnchanged(plan);
    const rejectedBefore = record.rejectedCount;
    await importBatch(running, batch);
    onProgress(record.rowsDone);
    if (record.rejectedCount > rejectedBefore && mustStop(running))
      return advance(running, { status: 'stopped', finishedAt: core.now() });
  }
  if (signal.aborted && record.rowsDone < (record.rowsTotal ?? 0)) return advance(running, { status: 'interrupted' });
  return advance(running, { status: 'completed', finishedAt: core.now() });
}

/** Whether the bad rows so far end the import before its end. */
function mustStop({ plan, record }: Running): boolean {
  const { onError, maxErrors } = plan.options;
  return onError === 'stop' || (maxErrors !== undefined && record.rejectedCount > maxErrors);
}

/** How often a run looks whether it was cancelled, in milliseconds. */
const cancelCheckMs = 500;

async function cancelRequested(running: Running): Promise<boolean> {
  const { core, record } = running;
  if (performance.now() - running.cancelCheckedAt < cancelCheckMs) return false;
  running.cancelCheckedAt = performance.now();
  const current = await core.database.read(() =>
    core.database.models.Import.findByPk(record.id, { attributes: ['cancelRequested'] }),
  );
  return current?.cancelRequested ?? false;
}

function isWorthAnotherTry(error: unknown): boolean {
  return (
    error instanceof StaleDecision ||
    isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'ALREADY_ENROLLED', 'REFERENCE_GONE', 'OVERLOADED')
  );
}

/** Imports one batch; accounts that others create meanwhile make it start over with a fresh look. */
async function importBatch(running: Running, batch: PreparedBatch): Promise<void> {
  const { credentials, rejects } = running.reports;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await tryBatch(running, batch, attempt > 1);
      credentials.commit();
      rejects.commit();
      return;
    } catch (error) {
      if (!isWorthAnotherTry(error) || attempt >= batchAttempts) throw error;
      await credentials.rewind();
      await rejects.rewind();
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

async function tryBatch(running: Running, batch: PreparedBatch, freshly: boolean): Promise<void> {
  const { core, plan, record, mapping, reports } = running;
  const { credentials, rejects } = reports;
  const decisions = decided(plan, await decisionsOn(running, batch, freshly));
  const rejected = rejectLines(mapping, decisions);
  if (plan.options.onError === 'abort' && rejected.length > 0) return abort(running, decisions);
  await prepareSecrets(core, decisions, batch.secrets);
  const passwords = credentialLines(decisions, batch.secrets);
  await beginReports(running, passwords.length > 0, rejected.length > 0);
  if (passwords.length > 0) await credentials.append(passwords);
  if (rejected.length > 0) await rejects.append(rejected);
  await advance(running, progressAfter(record, decisions, reports), async (transaction) => {
    await writeBatch(core, record.id, plan.options, decisions, batch.secrets, transaction);
    await credentials.assertInPlace();
    await rejects.assertInPlace();
  });
}

async function decisionsOn(
  { core, decider }: Running,
  batch: PreparedBatch,
  freshly: boolean,
): Promise<readonly Decision[]> {
  if (batch.decisions && !freshly) return batch.decisions;
  // Counted anew: what was decided before is committed by now, or given up.
  return decider.decide(batch.rows, new Seats(core), freshly);
}

/** A row that was good when the plan was made is bad now, and then nothing may be written: what was, is taken back. */
async function abort(running: Running, decisions: readonly Decision[]): Promise<never> {
  const { core, actor, record } = running;
  const bad = decisions.find((decision) => decision.outcome === 'rejected');
  const message = `Line ${bad?.row.line} has become bad since the plan was made: ${bad?.outcome === 'rejected' ? bad.row.reason : ''} Nothing was imported.`;
  await takeBack(core, actor, record, (progress, work) => advance(running, progress, work));
  const now = core.now();
  await advance(running, {
    ...{ status: 'undone', finishedAt: now, undoneAt: now },
    ...{ errorCode: 'IMPORT_REFUSED', errorMessage: message },
  });
  throw new AppError('IMPORT_REFUSED', message);
}

/** Makes the files for their first rows. The database knows of them before any row is in them. */
async function beginReports(running: Running, withPasswords: boolean, withRejects: boolean): Promise<void> {
  const { record, reports } = running;
  const unknown = [
    ...(withPasswords && Number(record.credentialsBytes) === 0 ? [reports.credentials] : []),
    ...(withRejects && Number(record.rejectsBytes) === 0 ? [reports.rejects] : []),
  ];
  for (const report of unknown) if (report.length === 0) await report.begin();
  if (unknown.length > 0) await advance(running, reportsOf(reports));
}

function rejectLines(mapping: ColumnMapping, decisions: readonly Decision[]): string[][] {
  return decisions.flatMap(({ outcome, row }) =>
    outcome === 'rejected'
      ? [[...mapping.own.map(({ index }) => row.cells[index] ?? ''), String(row.line), row.code, row.reason]]
      : [],
  );
}
