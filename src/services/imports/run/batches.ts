import { setTimeout as sleep } from 'node:timers/promises';
import { countsOf, type Import } from '../../../db/models/import.js';
import { AppError, isAppError } from '../../../errors.js';
import type { ReportFile } from '../output/report-file.js';
import { closeReports, commitReports, rejectLines, reportColumns } from '../output/reports.js';
import { Capacity } from '../plan/course-index.js';
import { countEnrollments, type Decision, dependsOnCapacity, type Outcome } from '../plan/outcomes.js';
import { decisionsToApply, type ImportPlan } from '../plan/plan.js';
import { type FileRow, remainingRows } from '../read/rows/rows.js';
import { auditFinish } from '../store/repository.js';
import { credentialLines, prepareSecrets, type Secrets } from './accounts.js';
import { writeBatch } from './batch.js';
import { finishRoster } from './groups.js';
import { assertUnchanged, commitProgress, type ImportRun, refuse, StaleDecision } from './run-state.js';

/** Maximum attempts of a batch. Other processes may create its accounts first, or the database may be busy. */
const batchAttempts = 25;

interface PreparedBatch {
  rows: readonly FileRow[];
  /** Absent if the decisions depend on the previous batches, which change the remaining capacity of courses. */
  decisions: readonly Decision[] | undefined;
  secrets: Secrets;
}

/** Yields the items of a source, and produces the next item while the consumer works on the current one. */
export async function* prefetchOne<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // The next round awaits this promise: until then, a rejection must not count as unhandled.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    // The consumer may have stopped early.
    await next.catch(() => undefined);
    await source.return(undefined);
  }
}

/** Decides on the remaining batches, and hashes their passwords. */
async function* prepareBatches(
  run: ImportRun,
  batches: AsyncGenerator<FileRow[]>,
  signal: AbortSignal,
): AsyncGenerator<PreparedBatch> {
  const { core, plan, record, decider } = run;
  // Finished rows are read again, too, because later rows may repeat their emails and phones.
  const { rowsDone } = record;
  let rowsRead = 0;
  for await (const batch of untilStopped(batches, signal)) {
    const rows = remainingRows(batch, rowsRead, rowsDone);
    rowsRead += batch.length;
    const done = batch.slice(0, batch.length - rows.length);
    decider.addDone(done);
    await run.reasons.addDone(core, record, done);
    const secrets: Secrets = new Map();
    if (signal.aborted) {
      // The consumer checks the signal, too, and ends the run.
      yield { rows, decisions: undefined, secrets };
      return;
    }
    if (rows.length === 0) continue;
    const decisions = await decider.decide(rows, new Capacity(core));
    await prepareSecrets(core, plan.options, decisionsToApply(plan.options, decisions), secrets);
    yield { rows, decisions: decisions.some(dependsOnCapacity) ? undefined : decisions, secrets };
  }
}

/** Yields batches until the signal ends the reading, then an empty batch. */
async function* untilStopped(batches: AsyncGenerator<FileRow[]>, signal: AbortSignal): AsyncGenerator<FileRow[]> {
  try {
    yield* batches;
  } catch (error) {
    if (!signal.aborted || !isAppError(error, 'INTERRUPTED')) throw error;
    yield [];
  }
}

/** Imports the remaining rows batch by batch, and records how the import ended. */
export async function importRows(
  run: ImportRun,
  batches: AsyncGenerator<FileRow[]>,
  { signal, onProgress }: { signal: AbortSignal; onProgress?(rowsDone: number): void },
): Promise<void> {
  const { core, plan, record } = run;
  let isOutdated = false;
  for await (const batch of prefetchOne(prepareBatches(run, batches, signal))) {
    if (signal.aborted) return endImport(run, { status: 'interrupted' });
    if (await cancelRequested(run)) return endImport(run, { status: 'cancelled', finishedAt: core.now() });
    await assertUnchanged(plan);
    isOutdated = await importBatch(run, batch, isOutdated);
    onProgress?.(record.rowsDone);
    if (record.status === 'stopped') return closeReports(run.reports);
  }
  // With `stop`, the plan counts rows only up to the first bad row. If that row is good by now, the run imports more rows.
  return endImport(run, { status: 'completed', rowsTotal: record.rowsDone, finishedAt: core.now() });
}

/** Closes the files of an import, and then records how it ended: from then on, the files may be fetched or moved. */
async function endImport(run: ImportRun, progress: Parameters<typeof commitProgress>[1]): Promise<void> {
  const { credentials, rejects } = run.reports;
  await credentials.end();
  await rejects.end();
  // `end` removes a file that was created for rows, but got none because their decisions changed. So the columns may change.
  await commitProgress(run, progress, async (transaction) => {
    const { core, actor, record } = run;
    if (progress.finishedAt) await auditFinish(core, actor, record, record.counts, transaction);
    if (progress.status === 'completed') await finishRoster(run, transaction);
    return reportColumns(run.reports);
  });
}

/** Whether this number of rejected rows stops the import. */
function mustStop({ options: { onError, maxErrors } }: ImportPlan, rejected: number): boolean {
  return (onError === 'stop' && rejected > 0) || (maxErrors !== undefined && rejected > maxErrors);
}

async function cancelRequested({ core, record }: ImportRun): Promise<boolean> {
  const { Import } = core.database.models;
  const current = await core.database.read(() => Import.findByPk(record.id, { attributes: ['cancelRequested'] }));
  return current?.cancelRequested ?? false;
}

function mayRetry(error: unknown): boolean {
  return (
    error instanceof StaleDecision ||
    isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN', 'ALREADY_ENROLLED', 'GROUP_EXISTS', 'REFERENCE_GONE', 'OVERLOADED')
  );
}

/**
 * Imports one batch. If other processes change its accounts or courses after the decision, the batch is decided again.
 * @param isOutdated whether the previous batch was decided again: its rows may now concern accounts of this batch, so this
 *   batch is decided again, too
 * @returns whether this batch was decided again
 */
async function importBatch(run: ImportRun, batch: PreparedBatch, isOutdated: boolean): Promise<boolean> {
  const { credentials, rejects } = run.reports;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const refresh = attempt > 1;
      await tryBatch(run, refresh || isOutdated ? { ...batch, decisions: undefined } : batch, refresh);
      commitReports(run.reports);
      return refresh;
    } catch (error) {
      if (!mayRetry(error) || attempt >= batchAttempts) throw error;
      await credentials.rewind();
      await rejects.rewind();
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** @param refresh whether to read all data of the decisions again, because other processes have changed some of it */
async function tryBatch(run: ImportRun, batch: PreparedBatch, refresh: boolean): Promise<void> {
  const { core, actor, plan, record, mapping, mask, decider, reports } = run;
  const { credentials, rejects } = reports;
  // The capacity is counted again, because all earlier decisions are now committed or discarded.
  const { rows, decisions: known = await decider.decide(rows, new Capacity(core), refresh) } = batch;
  const decisions = decisionsToApply(plan.options, known);
  const rejected = rejectLines(mapping, decisions, rejects.encoding);
  if (plan.options.onError === 'abort' && rejected.length > 0) return abort(run, decisions);
  const progress = progressAfter(record, decisions);
  // Accounts that were deleted since the plan would be invited again.
  if (plan.options.trainerId !== undefined && progress.createdCount > record.invitesReserved)
    throw new AppError('INVITE_LIMIT');
  await prepareSecrets(core, plan.options, decisions, batch.secrets);
  const passwords = credentialLines(decisions, batch.secrets);
  await beginReports(run, [...(passwords.length > 0 ? [credentials] : []), ...(rejected.length > 0 ? [rejects] : [])]);
  if (passwords.length > 0) await credentials.append(passwords);
  if (rejected.length > 0) await rejects.append(rejected);
  // The stop is committed with the batch: otherwise, an interrupted run could import the rows after the bad one.
  const stopped =
    mustStop(plan, record.rejectedCount + rejected.length) && ({ status: 'stopped', finishedAt: core.now() } as const);
  // The file has only a header if later decisions on its rows need no passwords.
  if (stopped && !credentials.hasRows) await credentials.discard();
  await commitProgress(run, { ...progress, ...stopped }, async (transaction) => {
    const ledger = { importId: record.id, country: decider.country, mask };
    await writeBatch(core, actor, ledger, plan.options, decisions, batch.secrets, transaction);
    await credentials.assertInPlace();
    await rejects.assertInPlace();
    if (stopped) await auditFinish(core, actor, record, countsOf(progress), transaction);
    return reportColumns(reports);
  });
  run.reasons.add(decisions);
}

/** Returns the progress of the import after a batch. */
function progressAfter(record: Import, decisions: readonly Decision[]) {
  const counts: Record<Outcome, number> = { created: 0, updated: 0, skipped: 0, rejected: 0 };
  const places = { enrolled: 0, waiting: 0, leftOut: 0 };
  for (const decision of decisions) {
    counts[decision.outcome] += 1;
    const { enrolled, waiting, leftOut } = countEnrollments(decision);
    places.enrolled += enrolled;
    places.waiting += waiting;
    places.leftOut += leftOut;
  }
  return {
    rowsDone: record.rowsDone + decisions.length,
    createdCount: record.createdCount + counts.created,
    updatedCount: record.updatedCount + counts.updated,
    skippedCount: record.skippedCount + counts.skipped,
    rejectedCount: record.rejectedCount + counts.rejected,
    enrolledCount: record.enrolledCount + places.enrolled,
    waitingCount: record.waitingCount + places.waiting,
    leftOutCount: record.leftOutCount + places.leftOut,
    leftCount: record.leftCount,
  };
}

/** Refuses an import with `abort`, because a row has become bad since planning. */
async function abort(run: ImportRun, decisions: readonly Decision[]): Promise<never> {
  const bad = decisions.find((decision) => decision.outcome === 'rejected');
  const reason = bad?.outcome === 'rejected' ? bad.row.reason : '';
  throw await refuse(run, `Line ${bad?.row.line} has become bad since the plan was made: ${reason}`);
}

/** Creates files before their first rows. Their paths are committed before any row is written to them. */
async function beginReports(run: ImportRun, reports: readonly ReportFile[]): Promise<void> {
  const fresh = reports.filter(({ length }) => length === 0);
  if (fresh.length === 0) return;
  for (const report of fresh) await report.begin();
  await commitProgress(run, reportColumns(run.reports));
  for (const report of fresh) report.commit();
}
