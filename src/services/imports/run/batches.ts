import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import { countsOf, type Import, type ImportCounts } from '../../../db/models/import.js';
import { isAppError } from '../../../errors.js';
import { recordAudit } from '../../audit.js';
import type { ReportFile } from '../output/report-file.js';
import { closeReports, type Reports, rejectLines, reportsOf } from '../output/reports.js';
import { CourseCapacity } from '../plan/course-index.js';
import { type Decision, needsCapacity, type Outcome } from '../plan/outcomes.js';
import { type ImportPlan, upToFirstRejected } from '../plan/plan.js';
import { type FileRow, remainingRows } from '../read/rows.js';
import { credentialLines, prepareSecrets, writeBatch } from './batch.js';
import { StaleDecision } from './batch-checks.js';
import { Prefetch } from './prefetch.js';
import { advance, assertUnchanged, type ImportRun, refuse } from './run.js';
import type { Secrets } from './updates.js';

/** How many batches are decided and hashed while one is being written. */
const batchesAhead = 2;
/** How often a batch is tried, when others create its accounts first or the database is busy. */
const batchAttempts = 25;

/** A batch that is ready to be written. */
interface PreparedBatch {
  rows: readonly FileRow[];
  /** Absent when they depend on the batches before this one: on the remaining capacity of courses. */
  decisions: readonly Decision[] | undefined;
  /** The run's number of redecisions when this batch was decided. */
  redecisions: number;
  secrets: Secrets;
}

/** Decides on the batches that are not done, and hashes their passwords. */
async function* prepareBatches(
  run: ImportRun,
  batches: AsyncGenerator<FileRow[]>,
  signal: AbortSignal,
): AsyncGenerator<PreparedBatch> {
  const { core, plan, record, decider } = run;
  // Rows that are done are read again too: later ones may repeat their emails and phones.
  const { rowsDone } = record;
  let rowsRead = 0;
  for await (const batch of batches) {
    const rows = remainingRows(batch, rowsRead, rowsDone);
    rowsRead += batch.length;
    const done = batch.slice(0, batch.length - rows.length);
    decider.addDone(done);
    await run.reasons.addDone(core, record, done);
    if (rows.length === 0) continue;
    if (signal.aborted) {
      run.isInterrupted = true;
      return;
    }
    const redecisions = run.redecisions;
    const decisions = await decider.decide(rows, new CourseCapacity(core));
    const secrets: Secrets = new Map();
    await prepareSecrets(core, decided(plan, decisions), secrets);
    yield { rows, decisions: decisions.some(needsCapacity) ? undefined : decisions, redecisions, secrets };
  }
}

/** The decisions to write: with `stop` none after the first bad row. */
function decided({ options }: ImportPlan, decisions: readonly Decision[]): readonly Decision[] {
  return options.onError === 'stop' ? upToFirstRejected(decisions) : decisions;
}

/** Imports the rows that are not done, batch by batch, and records how the import ended. */
export async function importRows(
  run: ImportRun,
  batches: AsyncGenerator<FileRow[]>,
  { signal, onProgress }: { signal: AbortSignal; onProgress(rowsDone: number): void },
): Promise<void> {
  const { core, plan, record } = run;
  const prepared = new Prefetch(prepareBatches(run, batches, signal), batchesAhead);
  for await (const batch of prepared) {
    if (signal.aborted) {
      run.isInterrupted = true;
      break;
    }
    if (await cancelRequested(run)) return end(run, { status: 'cancelled', finishedAt: core.now() });
    await assertUnchanged(plan);
    await importBatch(run, batch, () => prepared.request());
    onProgress(record.rowsDone);
    if (record.status === 'stopped') return closeReports(run.reports);
  }
  if (run.isInterrupted) return end(run, { status: 'interrupted' });
  // With `stop` the plan may have counted fewer rows: up to a bad row that is good by now.
  return end(run, { status: 'completed', rowsTotal: record.rowsDone, finishedAt: core.now() });
}

/** Records how an import ended, once its files are closed: from then on they may be fetched or moved. */
async function end(run: ImportRun, progress: Parameters<typeof advance>[1]): Promise<void> {
  const { credentials, rejects } = run.reports;
  await credentials.end();
  await rejects.end();
  // Rows that a file was begun for may have been decided otherwise since: then it was removed.
  await advance(run, { ...progress, ...reportsOf(run.reports) }, async (transaction) => {
    if (progress.finishedAt) await auditFinish(run, run.record.counts, transaction);
  });
}

/** Records what an import did in all. Its ledger has what became of each row. */
async function auditFinish(
  { core, actor, record }: ImportRun,
  counts: ImportCounts,
  transaction: Transaction,
): Promise<void> {
  const after = { fileName: record.fileName, ...counts };
  const entry = { action: 'import.finish', targetType: 'import', targetId: record.id, after } as const;
  await recordAudit(core, actor, entry, transaction);
}

/** Whether so many bad rows end the import before its end. */
function mustStop({ options: { onError, maxErrors } }: ImportPlan, rejected: number): boolean {
  return (onError === 'stop' && rejected > 0) || (maxErrors !== undefined && rejected > maxErrors);
}

/** How often a run checks whether it was cancelled, in milliseconds. */
const cancelCheckMs = 500;

async function cancelRequested(run: ImportRun): Promise<boolean> {
  const { core, record } = run;
  if (performance.now() - run.cancelCheckedAt < cancelCheckMs) return false;
  run.cancelCheckedAt = performance.now();
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

/**
 * Imports one batch. When others change its accounts or courses meanwhile, it is decided again.
 * @param prepareNext called when the database has begun to insert the batch
 */
async function importBatch(run: ImportRun, batch: PreparedBatch, prepareNext: () => void): Promise<void> {
  const { credentials, rejects } = run.reports;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await tryBatch(run, batch, attempt > 1, prepareNext);
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

async function tryBatch(
  run: ImportRun,
  batch: PreparedBatch,
  refresh: boolean,
  prepareNext: () => void,
): Promise<void> {
  const { core, actor, plan, record, mapping, mask, decider, reports } = run;
  const { credentials, rejects } = reports;
  const decisions = decided(plan, await decisionsOn(run, batch, refresh));
  const rejected = rejectLines(mapping, decisions, rejects.format.encoding);
  if (plan.options.onError === 'abort' && rejected.length > 0) return abort(run, decisions);
  await prepareSecrets(core, decisions, batch.secrets);
  const passwords = credentialLines(decisions, batch.secrets);
  await beginReports(run, passwords.length > 0, rejected.length > 0);
  if (passwords.length > 0) await credentials.append(passwords);
  if (rejected.length > 0) await rejects.append(rejected);
  // In the transaction of the batch: a run that breaks off after it must not import the rows behind the bad one.
  const stopped =
    mustStop(plan, record.rejectedCount + rejected.length) && ({ status: 'stopped', finishedAt: core.now() } as const);
  // A file without rows, or an empty one that reserves its name: nothing would remove it after a kill.
  if (stopped && !credentials.hasRows) await credentials.end();
  const progress = progressAfter(record, plan, decisions, reports);
  await advance(run, { ...progress, ...stopped }, async (transaction) => {
    // Once the first long statement is sent: before, it would delay the short ones while the database waits for them.
    setImmediate(prepareNext);
    const ledger = { importId: record.id, country: decider.country, mask };
    await writeBatch(core, actor, ledger, plan.options, decisions, batch.secrets, transaction);
    await credentials.assertInPlace();
    await rejects.assertInPlace();
    if (stopped) await auditFinish(run, countsOf(progress), transaction);
  });
  run.reasons.add(decisions);
}

/** The progress of the import once a batch is committed. */
function progressAfter(record: Import, plan: ImportPlan, decisions: readonly Decision[], reports: Reports) {
  const counts: Record<Outcome, number> = { created: 0, updated: 0, skipped: 0, rejected: 0 };
  const rowsDone = record.rowsDone + decisions.length;
  let enrolled = 0;
  for (const decision of decisions) {
    counts[decision.outcome] += 1;
    if (decision.outcome !== 'rejected') enrolled += decision.enrollments.length;
  }
  return {
    rowsDone,
    planRestId: plan.restIds.get(rowsDone) ?? null,
    createdCount: record.createdCount + counts.created,
    updatedCount: record.updatedCount + counts.updated,
    skippedCount: record.skippedCount + counts.skipped,
    rejectedCount: record.rejectedCount + counts.rejected,
    enrolledCount: record.enrolledCount + enrolled,
    credentialsBytes: reports.credentials.length,
    rejectsBytes: reports.rejects.length,
  };
}

async function decisionsOn(run: ImportRun, batch: PreparedBatch, refresh: boolean): Promise<readonly Decision[]> {
  const { core, decider } = run;
  // Another batch was decided again since: its rows may now be about accounts that this batch is about.
  const isOutdated = batch.redecisions !== run.redecisions;
  if (batch.decisions && !refresh && !isOutdated) return batch.decisions;
  if (refresh) run.redecisions += 1;
  // The capacity is counted again: earlier decisions are committed or discarded by now.
  return decider.decide(batch.rows, new CourseCapacity(core), refresh);
}

/** Ends an import with `abort` of which a row has become bad since it was planned. */
async function abort(run: ImportRun, decisions: readonly Decision[]): Promise<never> {
  const bad = decisions.find((decision) => decision.outcome === 'rejected');
  const reason = bad?.outcome === 'rejected' ? bad.row.reason : '';
  throw await refuse(run, `Line ${bad?.row.line} has become bad since the plan was made: ${reason}`);
}

/** Whether a file isn't recorded, or was removed again before a retry. @param recorded bytes */
const isUnknown = ({ length }: ReportFile, recorded: string | number) => Number(recorded) === 0 || length === 0;

/** Creates the files before their first rows. Their paths are committed before any row is written to them. */
async function beginReports(run: ImportRun, withPasswords: boolean, withRejects: boolean): Promise<void> {
  const { record, reports } = run;
  const unknown = [
    ...(withPasswords && isUnknown(reports.credentials, record.credentialsBytes) ? [reports.credentials] : []),
    ...(withRejects && isUnknown(reports.rejects, record.rejectsBytes) ? [reports.rejects] : []),
  ];
  for (const report of unknown) if (report.length === 0) await report.begin();
  if (unknown.length > 0) await advance(run, reportsOf(reports));
}
