import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InferAttributes, Transaction } from 'sequelize';
import { type Lease, withLease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError, isAppError } from '../../errors.js';
import type { Actor, Core } from '../core.js';
import { credentialLines, prepareAccounts, writeBatch } from './batch.js';
import type { ColumnMapping } from './columns.js';
import { fileBytes, fileIdentity } from './csv-source.js';
import { type Decision, decide } from './existing.js';
import { findUnfinished, type ImportPlan } from './plan.js';
import { type ImportResult, progressAfter, reportsOf, resultOf, startImport } from './record.js';
import { openReports, type ReportPaths, type Reports } from './report-files.js';
import { type FileRow, type ImportFile, openImportFile } from './rows.js';

export interface ApplyOptions extends ReportPaths {
  signal: AbortSignal;
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
/** How often a batch starts over because others created its accounts first, or because the database was busy. */
const batchAttempts = 25;

/**
 * Does what a plan says, batch by batch: each commits its accounts, its ledger rows and its progress together, after
 * the passwords of its accounts are on the disk. A run that broke off at any moment is taken up by the next call for
 * the same file and options, and ends as an uninterrupted one would have.
 * @throws AppError `IMPORT_CONFLICT`, `USAGE` for paths that can't be used, `FILE_UNUSABLE`, `INTERRUPTED`
 */
export async function applyImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
): Promise<ImportResult> {
  const subject = createHash('sha256').update(plan.fileSha256).update(JSON.stringify(plan.options)).digest('hex');
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', 'This file is being imported by another process. Wait for it to end.');
  return withLease(
    core.database,
    `import:${subject}`,
    leaseWaitMs,
    refusal,
    (lease) => runImport(core, actor, plan, options, lease),
    { durationMs: leaseMs, signal: options.signal, onWait: () => options.onWait() },
  );
}

/** One run of an import, and what it works with. */
interface Running {
  core: Core;
  record: Import;
  lease: Lease;
  reports: Reports;
  mapping: ColumnMapping;
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
  try {
    await assertUnchanged(plan);
    file = await openImportFile(fileBytes(plan.file), plan.options, plan.format, core.config.imports);
    const { mapping } = file;
    const unfinished = await findUnfinished(core, plan);
    reports = await openReports(core, unfinished, mapping, plan.file, options);
    const record = unfinished ?? (await startImport(core, actor, plan, reports));
    const running = { core, record, lease, reports, mapping };
    if (unfinished) await advance(running, { status: 'running', ...reportsOf(reports) });
    if (record.rowsDone > 0) options.onResume(record.rowsDone);
    await importRows(running, plan, file.batches, options);
    return resultOf(record);
  } catch (error) {
    // The plan could read it: it must have changed.
    if (isAppError(error, 'IMPORT_FILE_INVALID')) await assertUnchanged(plan);
    throw error;
  } finally {
    await file?.close();
    await reports?.credentials.close();
    await reports?.rejects.close();
  }
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
  { core, lease, record }: Running,
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    if (!(await lease.renew(transaction)))
      throw new AppError('IMPORT_CONFLICT', `The import ${record.id} was taken over by another process.`);
    await work(transaction);
    await core.database.models.Import.update(progress, { where: { id: record.id }, transaction });
  });
  record.set(progress, { raw: true });
}

async function importRows(
  running: Running,
  plan: ImportPlan,
  batches: AsyncGenerator<FileRow[]>,
  options: ApplyOptions,
): Promise<void> {
  const { core, record } = running;
  // Rows that are done are read again all the same: later ones may repeat their emails and phones.
  let read = 0;
  for await (const batch of batches) {
    read += batch.length;
    if (read <= record.rowsDone) continue;
    if (options.signal.aborted) return advance(running, { status: 'interrupted' });
    await assertUnchanged(plan);
    await importBatch(running, batch);
    options.onProgress(record.rowsDone);
  }
  return advance(running, { status: 'completed', finishedAt: core.now() });
}

/** Imports one batch; accounts that others create meanwhile make it start over with a fresh look. */
async function importBatch(running: Running, batch: readonly FileRow[]): Promise<void> {
  const { credentials, rejects } = running.reports;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await tryBatch(running, batch);
      credentials.commit();
      rejects.commit();
      return;
    } catch (error) {
      if (!isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'OVERLOADED') || attempt >= batchAttempts) throw error;
      await credentials.rewind();
      await rejects.rewind();
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

async function tryBatch(running: Running, batch: readonly FileRow[]): Promise<void> {
  const { core, record, mapping, reports } = running;
  const { credentials, rejects } = reports;
  const decisions = await decide(core, batch);
  const accounts = await prepareAccounts(core, decisions);
  const [passwords, rejected] = [credentialLines(accounts), rejectLines(mapping, decisions)];
  await beginReports(running, passwords.length > 0, rejected.length > 0);
  if (passwords.length > 0) await credentials.append(passwords);
  if (rejected.length > 0) await rejects.append(rejected);
  await advance(running, progressAfter(record, decisions, reports), async (transaction) => {
    await writeBatch(core, record.id, decisions, accounts, transaction);
    await credentials.assertInPlace();
    await rejects.assertInPlace();
  });
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
