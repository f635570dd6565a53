import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../../../errors.js';
import { closeReports } from '../output/report-files.js';
import { Seats } from '../plan/course-book.js';
import { type Decision, takesSeat } from '../plan/outcomes.js';
import { type ImportPlan, upToFirstRejected } from '../plan/plan.js';
import { removeOwnCopy } from '../queue/spool.js';
import type { ColumnMapping } from '../read/columns.js';
import { rejectLine } from '../read/row-fields.js';
import type { FileRow } from '../read/rows.js';
import { takeBack } from '../undo/undo.js';
import { credentialLines, prepareSecrets, type Secrets, writeBatch } from './batch.js';
import { StaleDecision } from './batch-checks.js';
import { keptAccounts } from './ledger.js';
import { lookAhead } from './prefetch.js';
import { progressAfter, reportsOf } from './repository.js';
import { advance, assertUnchanged, type Running } from './running.js';

/** How many batches are decided and hashed while one is being written. */
const batchesAhead = 2;
/** How often a batch starts over because others created its accounts first, or because the database was busy. */
const batchAttempts = 25;

/** A batch on its way into the database. */
interface PreparedBatch {
  rows: readonly FileRow[];
  /** Absent when they depend on what the batch before it brought: on the seats that are left. */
  decisions: readonly Decision[] | undefined;
  /** How many batches had been decided anew by then. */
  round: number;
  secrets: Secrets;
}

/** Decides on the batches that are not done, and hashes their passwords: the next one while one is being written. */
async function* prepareBatches(
  running: Running,
  batches: AsyncGenerator<FileRow[]>,
  signal: AbortSignal,
): AsyncGenerator<PreparedBatch> {
  const { core, plan, record, decider } = running;
  // Rows that are done are read again all the same: later ones may repeat their emails and phones.
  const done = record.rowsDone;
  let read = 0;
  for await (const batch of batches) {
    read += batch.length;
    const rows = read - batch.length < done ? batch.slice(batch.length - (read - done)) : batch;
    if (read <= done) continue;
    if (signal.aborted) {
      running.isCutShort = true;
      return;
    }
    const round = running.rounds;
    const decisions = await decider.decide(rows, new Seats(core));
    const secrets: Secrets = new Map();
    await prepareSecrets(core, decided(plan, decisions), secrets);
    yield { rows, decisions: decisions.some(takesSeat) ? undefined : decisions, round, secrets };
  }
}

/** The decisions that count: with `stop` none after the first bad row. */
function decided({ options }: ImportPlan, decisions: readonly Decision[]): readonly Decision[] {
  return options.onError === 'stop' ? upToFirstRejected(decisions) : decisions;
}

/** Imports the rows that are not done, batch by batch, and notes how it ended. */
export async function importRows(
  running: Running,
  batches: AsyncGenerator<FileRow[]>,
  { signal, onProgress }: { signal: AbortSignal; onProgress(rowsDone: number): void },
): Promise<void> {
  const { core, plan, record } = running;
  for await (const batch of lookAhead(prepareBatches(running, batches, signal), batchesAhead)) {
    if (signal.aborted) {
      running.isCutShort = true;
      break;
    }
    if (await cancelRequested(running)) return end(running, { status: 'cancelled', finishedAt: core.now() });
    await assertUnchanged(plan);
    const rejectedBefore = record.rejectedCount;
    await importBatch(running, batch);
    onProgress(record.rowsDone);
    if (record.rejectedCount > rejectedBefore && mustStop(running))
      return end(running, { status: 'stopped', finishedAt: core.now() });
  }
  if (running.isCutShort) return end(running, { status: 'interrupted' });
  // With `stop` the plan may have counted less: up to a bad row that is none any more.
  return end(running, { status: 'completed', rowsTotal: record.rowsDone, finishedAt: core.now() });
}

/** Notes how an import ended. Its files are whole by then: whoever sees that it has ended may fetch or move them. */
async function end(running: Running, progress: Parameters<typeof advance>[1]): Promise<void> {
  await closeReports(running.reports);
  await advance(running, progress);
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
  const { core, actor, plan, record, mapping, reports } = running;
  const { credentials, rejects } = reports;
  const decisions = decided(plan, await decisionsOn(running, batch, freshly));
  const rejected = rejectLines(mapping, decisions);
  if (plan.options.onError === 'abort' && rejected.length > 0) return abort(running, decisions);
  await prepareSecrets(core, decisions, batch.secrets);
  const passwords = credentialLines(decisions, batch.secrets);
  await beginReports(running, passwords.length > 0, rejected.length > 0);
  if (passwords.length > 0) await credentials.append(passwords);
  if (rejected.length > 0) await rejects.append(rejected);
  await advance(running, progressAfter(record, plan, decisions, reports), async (transaction) => {
    await writeBatch(core, actor, record.id, plan.options, decisions, batch.secrets, transaction);
    await credentials.assertInPlace();
    await rejects.assertInPlace();
  });
}

async function decisionsOn(running: Running, batch: PreparedBatch, freshly: boolean): Promise<readonly Decision[]> {
  const { core, decider } = running;
  // A batch before this one was decided anew: a row of it may be about another account by now, which is one of ours.
  const isOutdated = batch.round !== running.rounds;
  if (batch.decisions && !freshly && !isOutdated) return batch.decisions;
  if (freshly) running.rounds += 1;
  // Counted anew: what was decided before is committed by now, or given up.
  return decider.decide(batch.rows, new Seats(core), freshly);
}

/** A row that was good when the plan was made is bad now, and then nothing may be written: what was, is taken back. */
async function abort(running: Running, decisions: readonly Decision[]): Promise<never> {
  const bad = decisions.find((decision) => decision.outcome === 'rejected');
  const reason = bad?.outcome === 'rejected' ? bad.row.reason : '';
  return refuseAndTakeBack(running, `Line ${bad?.row.line} has become bad since the plan was made: ${reason}`);
}

/**
 * Ends an import of which nothing may stay: what its rows did so far is taken back.
 * @param why a sentence for the operator
 * @throws AppError `IMPORT_REFUSED`, always
 */
export async function refuseAndTakeBack(running: Running, why: string): Promise<never> {
  const { core, actor, record, reports } = running;
  await takeBack(core, actor, record, (progress, work) => advance(running, progress, work));
  const kept = (await keptAccounts(core, record.id)).length;
  const rest =
    kept === 0
      ? 'Nothing was imported.'
      : `What was imported is undone, except for ${kept === 1 ? '1 account that has' : `${kept} accounts that have`} been used or changed since: coursectl imports show ${record.id}`;
  const message = `${why} ${rest}`;
  const now = core.now();
  await advance(running, {
    ...{ status: 'undone', finishedAt: now, undoneAt: now },
    ...{ errorCode: 'IMPORT_REFUSED', errorMessage: message },
  });
  await closeReports(reports);
  await removeOwnCopy(core, record);
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
    outcome === 'rejected' ? [rejectLine(mapping, row, [row.code, row.reason])] : [],
  );
}
