import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { withLease } from '../../db/lease.js';
import type { Import } from '../../db/models/import.js';
import { AppError, isAppError } from '../../errors.js';
import { insertAccounts, type NewAccount } from '../accounts.js';
import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { generatedPasswordCost, generatePassword } from '../passwords.js';
import { initialPasswordExpiry } from '../users.js';
import { rejectColumns } from './columns.js';
import { fileBytes } from './csv-source.js';
import { type Decision, decide } from './existing.js';
import { findUnfinished, type ImportCounts, type ImportPlan } from './plan.js';
import { ReportFile } from './report.js';
import { type FileRow, openImportFile } from './rows.js';

/** How an import ended, or where it stands. */
export interface ImportResult {
  id: string;
  status: Import['status'];
  file: string;
  counts: ImportCounts;
  /** Where the generated passwords are; absent when none was generated. */
  credentialsFile: string | null;
  rejectsFile: string | null;
}

export interface ApplyOptions {
  /** Where generated passwords go; must not exist. Beside the imported file when absent. */
  credentialsFile?: string;
  /** Where rejected rows go; must not exist. Beside the imported file when absent. */
  rejectsFile?: string;
  signal: AbortSignal;
  onProgress(rowsDone: number): void;
  /** Told once when an import of the same file that broke off is taken up again. */
  onResume(rowsDone: number): void;
}

const credentialsHeader = ['line', 'firstName', 'lastName', 'email', 'phone', 'password'];

/** How long a run waits for one that died: its lease is free by then. */
const leaseWaitMs = 40_000;
/** How often a batch starts over because others created its accounts first. */
const collisionAttempts = 25;

/**
 * Does what a plan says, batch by batch: each commits its accounts, its ledger rows and its progress together, after
 * the passwords of its accounts are on the disk. A run that broke off at any moment is taken up by the next call for
 * the same file and options, and ends as an uninterrupted one would have.
 * @throws AppError `IMPORT_CONFLICT`, `FILE_UNUSABLE`, `IMPORT_FILE_INVALID`
 */
export async function applyImport(
  core: Core,
  actor: Actor,
  plan: ImportPlan,
  options: ApplyOptions,
): Promise<ImportResult> {
  const unchanged = await fileWatch(plan.file);
  const record = (await findUnfinished(core, plan)) ?? (await startImport(core, actor, plan, options));
  const refusal = () =>
    new AppError(
      'IMPORT_CONFLICT',
      `The import ${record.id} of this file is being run by another process. Wait for it.`,
    );
  return withLease(core.database, `import:${record.id}`, leaseWaitMs, refusal, async () => {
    await record.reload();
    if (record.status === 'completed') return resultOf(record);
    if (record.rowsDone > 0) options.onResume(record.rowsDone);
    return runImport(core, record, plan, options, unchanged);
  });
}

/** A check that the file is still what it was when the watch began. */
async function fileWatch(file: string): Promise<() => Promise<void>> {
  const identity = async () => {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino} ${size} ${mtimeMs}`;
  };
  const before = await identity();
  return async () => {
    if ((await identity()) !== before)
      throw new AppError(
        'IMPORT_CONFLICT',
        `The file ${file} was changed while it was imported. Import it again: rows that are done are skipped.`,
      );
  };
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    // Whatever else is wrong with the path shows when it is written.
    return false;
  }
}

/** A path beside the imported file that is free: `people.credentials.csv`, else `people.credentials-2.csv`, ... */
async function freePathBeside(file: string, kind: 'credentials' | 'rejected'): Promise<string> {
  const { dir, name } = path.parse(path.resolve(file));
  for (let number = 1; ; number += 1) {
    const candidate = path.join(dir, `${name}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
    if (!(await exists(candidate))) return candidate;
  }
}

async function reportPath(given: string | undefined, file: string, kind: 'credentials' | 'rejected'): Promise<string> {
  if (given === undefined) return freePathBeside(file, kind);
  if (await exists(given))
    throw new AppError('USAGE', `The file ${given} exists already and is never overwritten. Name another one.`);
  return path.resolve(given);
}

async function startImport(core: Core, actor: Actor, plan: ImportPlan, options: ApplyOptions): Promise<Import> {
  const credentialsFile = await reportPath(options.credentialsFile, plan.file, 'credentials');
  const rejectsFile = await reportPath(options.rejectsFile, plan.file, 'rejected');
  return core.database.inTransaction(async (transaction) => {
    const record = await core.database.models.Import.create(
      {
        id: uuidv7(),
        status: 'running',
        fileName: path.basename(plan.file),
        fileSha256: plan.fileSha256,
        optionsJson: JSON.stringify(plan.options),
        rowsTotal: plan.counts.rows,
        credentialsFile,
        rejectsFile,
        createdBy: actor.actorId,
        createdAt: core.now(),
      },
      { transaction },
    );
    const after = { fileName: record.fileName, rows: plan.counts.rows, ...plan.options };
    await recordAudit(
      core,
      actor,
      { action: 'import.start', targetType: 'import', targetId: record.id, after },
      transaction,
    );
    return record;
  });
}

interface Reports {
  credentials: ReportFile;
  rejects: ReportFile;
}

async function runImport(
  core: Core,
  record: Import,
  plan: ImportPlan,
  options: ApplyOptions,
  unchanged: () => Promise<void>,
): Promise<ImportResult> {
  const { mapping, batches } = await openImportFile(fileBytes(plan.file), plan.options);
  const ownColumns = mapping.header
    .map((heading, index) => ({ heading, index }))
    .filter(({ heading }) => !rejectColumns.some((name) => name === heading));
  const reports: Reports = {
    credentials: new ReportFile(record.credentialsFile ?? '', credentialsHeader),
    rejects: new ReportFile(record.rejectsFile ?? '', [...ownColumns.map(({ heading }) => heading), ...rejectColumns]),
  };
  const originalCells = (row: FileRow) => ownColumns.map(({ index }) => row.cells[index] ?? '');
  try {
    if (record.status === 'interrupted' || record.rowsDone > 0) await setStatus(core, record, 'running');
    await reports.credentials.resume(Number(record.credentialsBytes));
    await reports.rejects.resume(Number(record.rejectsBytes));
    // Rows that are done are read again all the same: later ones may repeat their emails and phones.
    let read = 0;
    for await (const batch of batches) {
      read += batch.length;
      if (read <= record.rowsDone) continue;
      await unchanged();
      await importBatch(core, record, batch, reports, originalCells);
      options.onProgress(record.rowsDone);
      if (options.signal.aborted && record.rowsDone < record.rowsTotal)
        return resultOf(await setStatus(core, record, 'interrupted'));
    }
    return resultOf(await setStatus(core, record, 'completed'));
  } finally {
    await reports.credentials.close();
    await reports.rejects.close();
  }
}

async function setStatus(core: Core, record: Import, status: Import['status']): Promise<Import> {
  return core.database.inTransaction((transaction) =>
    record.update({ status, finishedAt: status === 'completed' ? core.now() : null }, { transaction }),
  );
}

/** Imports one batch; accounts that others create meanwhile make it start over with a fresh look. */
async function importBatch(
  core: Core,
  record: Import,
  batch: readonly FileRow[],
  reports: Reports,
  originalCells: (row: FileRow) => string[],
): Promise<void> {
  const [credentialsLength, rejectsLength] = [reports.credentials.length, reports.rejects.length];
  for (let attempt = 1; ; attempt += 1) {
    const decisions = await decide(core, batch);
    const accounts = await prepareAccounts(core, decisions);
    await reports.credentials.append(
      accounts.flatMap(({ row, account, generated }) =>
        generated === undefined ? [] : [credentialCells(row.line, account, generated)],
      ),
    );
    await reports.rejects.append(
      decisions.flatMap(({ outcome, row }) =>
        outcome === 'rejected' ? [[...originalCells(row), String(row.line), row.code, row.reason]] : [],
      ),
    );
    const progress = progressAfter(record, decisions, reports);
    try {
      await core.database.inTransaction((transaction) =>
        commitBatch(core, record, decisions, accounts, progress, transaction),
      );
      record.set(progress, { raw: true });
      return;
    } catch (error) {
      if (!isAppError(error, 'EMAIL_TAKEN', 'PHONE_TAKEN') || attempt >= collisionAttempts) throw error;
      await reports.credentials.rewind(credentialsLength);
      await reports.rejects.rewind(rejectsLength);
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** How far the import is when the batch is committed. Computed outside of the transaction, whose work may run twice. */
function progressAfter(record: Import, decisions: readonly Decision[], reports: Reports) {
  const count = (outcome: Decision['outcome']) => decisions.filter((decision) => decision.outcome === outcome).length;
  return {
    rowsDone: record.rowsDone + decisions.length,
    createdCount: record.createdCount + count('created'),
    skippedCount: record.skippedCount + count('skipped'),
    rejectedCount: record.rejectedCount + count('rejected'),
    credentialsBytes: reports.credentials.length,
    rejectsBytes: reports.rejects.length,
  };
}

interface PreparedAccount {
  row: { line: number };
  account: NewAccount;
  /** The generated password; absent when the file gave one. */
  generated: string | undefined;
}

/** Hashes the passwords of the accounts to be created: few at a time, so that logins get their turn. */
async function prepareAccounts(core: Core, decisions: readonly Decision[]): Promise<PreparedAccount[]> {
  const expiry = initialPasswordExpiry(core);
  const prepared: PreparedAccount[] = [];
  const creations = decisions.filter((decision) => decision.outcome === 'created');
  const parallel = 8;
  for (let at = 0; at < creations.length; at += parallel) {
    prepared.push(
      ...(await Promise.all(
        creations.slice(at, at + parallel).map(async ({ row }) => {
          const { password: given, ...person } = row.person;
          const generated = given === undefined ? generatePassword() : undefined;
          const passwordHash = await core.hasher.hash(
            given ?? generated ?? '',
            given === undefined ? generatedPasswordCost : core.config.auth.bcryptCost,
          );
          const account = { ...person, passwordHash, requiresPasswordChange: true, initialPasswordExpiresAt: expiry };
          return { row, account, generated };
        }),
      )),
    );
  }
  return prepared;
}

function credentialCells(line: number, account: NewAccount, password: string): string[] {
  return [String(line), account.firstName, account.lastName, account.email, account.phone, password];
}

/** Writes a batch's accounts, its part of the ledger and the progress: all or nothing. */
async function commitBatch(
  core: Core,
  record: Import,
  decisions: readonly Decision[],
  accounts: readonly PreparedAccount[],
  progress: ReturnType<typeof progressAfter>,
  transaction: Transaction,
): Promise<void> {
  const { Import, ImportRow } = core.database.models;
  const users = await insertAccounts(
    core,
    accounts.map(({ account }) => account),
    transaction,
  );
  const createdByLine = new Map(accounts.map(({ row }, index) => [row.line, users[index]?.id ?? null]));
  await ImportRow.bulkCreate(
    decisions.map((decision) => ({
      importId: record.id,
      line: decision.row.line,
      ...ledgerEntry(decision, createdByLine),
      beforeJson: null,
    })),
    { transaction, validate: false, hooks: false },
  );
  // A process that was paused for longer than its lease must not write over what its successor has done.
  const [advanced] = await Import.update(progress, {
    where: { id: record.id, rowsDone: record.rowsDone },
    transaction,
  });
  if (advanced === 0)
    throw new AppError('IMPORT_CONFLICT', `The import ${record.id} was taken over by another process.`);
}

function ledgerEntry(decision: Decision, createdByLine: ReadonlyMap<number, string | null>) {
  switch (decision.outcome) {
    case 'created':
      return { outcome: decision.outcome, code: null, userId: createdByLine.get(decision.row.line) ?? null };
    case 'skipped':
      return { outcome: decision.outcome, code: decision.code, userId: decision.userId };
    case 'rejected':
      return { outcome: decision.outcome, code: decision.row.code, userId: null };
  }
}

function resultOf(record: Import): ImportResult {
  return {
    id: record.id,
    status: record.status,
    file: record.fileName,
    counts: {
      rows: record.rowsDone,
      created: record.createdCount,
      updated: record.updatedCount,
      skipped: record.skippedCount,
      rejected: record.rejectedCount,
      enrolled: record.enrolledCount,
    },
    credentialsFile: Number(record.credentialsBytes) > 0 ? record.credentialsFile : null,
    rejectsFile: Number(record.rejectsBytes) > 0 ? record.rejectsFile : null,
  };
}
