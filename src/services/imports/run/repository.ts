import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { confirmedById } from '../../../db/connection.js';
import type { Import, ImportCounts } from '../../../db/models/import.js';
import { breaksUniqueIndex } from '../../../db/translate-error.js';
import { databaseUnusable, type ErrorCode } from '../../../errors.js';
import { type ImportOptions, type ImportStatus, optionsFrom, optionsText } from '../../../schemas/import.js';
import { recordAudit } from '../../audit.js';
import type { Actor, Core } from '../../core.js';
import type { Reports } from '../output/reports.js';
import type { Decision, Outcome } from '../plan/outcomes.js';
import type { ImportPlan } from '../plan/plan.js';

/** The state of an import, and its files. */
export interface ImportResult {
  id: string;
  number: number;
  status: ImportStatus;
  file: string;
  counts: ImportCounts;
  /** Where the generated passwords are; absent when none was generated, or they were fetched over HTTP. */
  credentialsFile: string | null;
  rejectsFile: string | null;
}

/** The columns that describe the files of an import. */
export function reportsOf({ credentials, rejects }: Reports) {
  return {
    credentialsFile: credentials.path,
    credentialsBytes: credentials.length,
    rejectsFile: rejects.path,
    rejectsBytes: rejects.length,
  };
}

/** An import, read again and locked until the transaction ends. */
export function lockImport(core: Core, id: string, transaction: Transaction): Promise<Import> {
  const { Import } = core.database.models;
  return Import.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
}

/** The options of an import. */
export function optionsOf(record: Import): ImportOptions {
  return optionsFrom(record.optionsJson);
}

/** The lease that a run of this file with these options holds: the same for all imports of the same. */
export function leaseName(fileSha256: string, options: string): string {
  return `import:${createHash('sha256').update(fileSha256).update(options).digest('hex')}`;
}

/** The lease that the service holds while it runs an import. */
export function jobLease({ id }: Pick<Import, 'id'>): string {
  return `import-job:${id}`;
}

/** The lease that is held while the passwords of an import are fetched. */
export function credentialsLease({ id }: Pick<Import, 'id'>): string {
  return `import-credentials:${id}`;
}

/** Errors that end without a change to the import: it is tried again. */
export const transientErrors: readonly ErrorCode[] = [...databaseUnusable, 'IMPORT_CONFLICT'];

/** Whether the service resumes an interrupted import without a command. */
export function resumesAutomatically({ origin, status, errorCode }: Import): boolean {
  const isTransient = errorCode === null || transientErrors.some((code) => code === errorCode);
  return origin === 'http' && status === 'interrupted' && isTransient;
}

/** The fields of a new import. */
interface NewImport {
  status: 'queued' | 'running' | 'planning';
  fileName: string;
  filePath: string;
  fileSha256: string;
  options: ImportOptions;
  rowsTotal: number | null;
  id?: string;
}

/** Records that an import is planned or begun, with its options. */
export async function auditBegin(core: Core, actor: Actor, record: Import, transaction: Transaction): Promise<void> {
  const action = record.status === 'planning' ? 'import.plan' : 'import.start';
  const after = { fileName: record.fileName, rows: record.rowsTotal, ...(JSON.parse(record.optionsJson) as object) };
  await recordAudit(core, actor, { action, targetType: 'import', targetId: record.id, after }, transaction);
}

/** The number after the last one. Another import that begins at the same time gets the same. */
async function nextNumber(core: Core, transaction: Transaction): Promise<number> {
  const { Import } = core.database.models;
  const last = await Import.findOne({ attributes: ['number'], order: [['number', 'DESC']], transaction });
  return (last?.number ?? 0) + 1;
}

/** Does it again as long as another import has got the number first: each time at least that one has begun. */
async function withOwnNumber<T>(create: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!breaksUniqueIndex(error, 'imports_number_unique', 'imports.number')) throw error;
    }
  }
}

/**
 * Records an import with the next number, and its audit entry.
 * @param beside what is written in the same transaction
 */
export async function createImport(
  core: Core,
  actor: Actor,
  { id = uuidv7(), options, ...fields }: NewImport,
  reports: Partial<
    ReturnType<typeof reportsOf> & Pick<ReturnType<typeof planOf>, 'planId' | 'planRestId' | 'formatJson'>
  > = {},
  beside: (record: Import, transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<Import> {
  const work = async (transaction: Transaction) => {
    const now = core.now();
    const record = await core.database.models.Import.create(
      {
        id,
        number: await nextNumber(core, transaction),
        ...fields,
        ...reports,
        origin: actor.origin,
        optionsJson: optionsText(options),
        createdBy: actor.actorId,
        createdAt: now,
        startedAt: fields.status === 'running' ? now : null,
      },
      { transaction },
    );
    await beside(record, transaction);
    await auditBegin(core, actor, record, transaction);
    return record;
  };
  return withOwnNumber(() => core.database.inTransaction(work, confirmedById(core.database.models.Import)));
}

/** The columns that describe the plan of an import. */
export function planOf(plan: ImportPlan) {
  return {
    planId: plan.id,
    planRestId: plan.id,
    rowsTotal: plan.counts.rows,
    formatJson: JSON.stringify({ ...plan.format, columns: plan.columns, ignoredColumns: plan.ignoredColumns }),
  };
}

/** Records an import that starts now. */
export function startImport(core: Core, actor: Actor, plan: ImportPlan, reports: Reports): Promise<Import> {
  const { rowsTotal, ...rest } = planOf(plan);
  return createImport(
    core,
    actor,
    {
      status: 'running',
      fileName: path.basename(plan.file),
      filePath: path.resolve(plan.file),
      fileSha256: plan.fileSha256,
      options: plan.options,
      rowsTotal,
    },
    { ...reportsOf(reports), ...rest },
  );
}

/** The progress of the import once a batch is committed. */
export function progressAfter(record: Import, plan: ImportPlan, decisions: readonly Decision[], reports: Reports) {
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

/** The state of an import, with the files that it wrote; null for a file without rows, and for passwords that were fetched. */
export function resultOf(record: Import): ImportResult {
  // A record that was just created has no value for what is null by default.
  const hasPasswords = Number(record.credentialsBytes) > 0 && !record.credentialsFetchedAt;
  return {
    id: record.id,
    number: record.number,
    status: record.status,
    file: record.fileName,
    counts: record.counts,
    credentialsFile: hasPasswords ? record.credentialsFile : null,
    rejectsFile: Number(record.rejectsBytes) > 0 ? record.rejectsFile : null,
  };
}
