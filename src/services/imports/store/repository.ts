import { createHash } from 'node:crypto';
import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { confirmedById } from '../../../db/connection.js';
import type { Import, ImportCounts } from '../../../db/models/import.js';
import { violatesUniqueIndex } from '../../../db/translate-error.js';
import { databaseUnavailableCodes, type ErrorCode } from '../../../errors.js';
import {
  type ImportOptions,
  type ImportStatus,
  parseImportOptions,
  serializeImportOptions,
} from '../../../schemas/import.js';
import { recordAudit } from '../../audit/audit.js';
import type { Actor, Core } from '../../core.js';
import type { ImportPlan } from '../plan/plan.js';

export interface ImportResult {
  id: string;
  number: number;
  status: ImportStatus;
  file: string;
  counts: ImportCounts;
  /** Path of the generated passwords; null if none was generated, or they were fetched over HTTP. */
  credentialsFile: string | null;
  rejectsFile: string | null;
}

/** Reads an import again, and locks it until the transaction ends. */
export function lockImport(core: Core, id: string, transaction: Transaction): Promise<Import> {
  const { Import } = core.database.models;
  return Import.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE, rejectOnEmpty: true });
}

/** Whether an import has written rows, or has taken members out of a roster. */
export const hasWritten = ({ rowsDone, leftCount }: Pick<Import, 'rowsDone' | 'leftCount'>): boolean =>
  rowsDone > 0 || leftCount > 0;

export function optionsOf(record: Import): ImportOptions {
  return parseImportOptions(record.optionsJson);
}

/** An import, or a file at a terminal with its options, whose import may not be recorded yet. */
export type Leasable =
  | Pick<Import, 'id' | 'number' | 'origin' | 'fileSha256' | 'optionsJson'>
  | (Pick<Import, 'fileSha256' | 'optionsJson'> & { origin?: undefined });

/**
 * Returns the name of the lease that a process holds while it plans, runs or undoes an import over HTTP, or sends its
 * passwords. At a terminal, the lease belongs to the file with its options, because the same command resumes an import before
 * knowing it.
 */
export function leaseName(record: Leasable): string {
  if (record.origin === 'http') return `import-job:${record.id}`;
  return `import:${createHash('sha256').update(record.fileSha256).update(record.optionsJson).digest('hex')}`;
}

/** Codes of errors that another process causes: it runs the import, or has changed or deleted data that the run needs. */
export const importConflicts: readonly ErrorCode[] = ['IMPORT_CONFLICT', 'IMPORT_ROWS_DELETED'];

/** Codes of errors after which the worker tries the import again. The import isn't marked as failed. */
export const transientErrors: readonly ErrorCode[] = [...databaseUnavailableCodes, ...importConflicts];

/** Whether the service resumes an interrupted import without a command. */
export function resumesAutomatically({ origin, status, errorCode }: Import): boolean {
  const isTransient = errorCode === null || transientErrors.some((code) => code === errorCode);
  return origin === 'http' && status === 'interrupted' && isTransient;
}

/**
 * Whether the rows of an import are being undone because `abort` refused the import. The service resumes this undo. False for
 * an undo that a person began, which only a person resumes.
 */
export function isUndoOfRefusedImport(record: Import): boolean {
  const { status, errorCode, undoneAt } = record;
  const isRefused = status === 'undoing' && errorCode === 'IMPORT_REFUSED' && undoneAt === null;
  return isRefused && optionsOf(record).onError === 'abort';
}

interface NewImport extends Partial<Pick<ReturnType<typeof planColumns>, 'planId' | 'formatJson'>> {
  status: 'queued' | 'running' | 'planning';
  fileName: string;
  filePath: string;
  fileSha256: string;
  options: ImportOptions;
  rowsTotal: number | null;
  id?: string;
}

/** Writes the audit entry of an import that is planned or begun, with its options. */
export async function auditBegin(core: Core, actor: Actor, record: Import, transaction: Transaction): Promise<void> {
  const action = record.status === 'planning' ? 'import.plan' : 'import.start';
  const after = { fileName: record.fileName, rows: record.rowsTotal, ...(JSON.parse(record.optionsJson) as object) };
  await recordAudit(core, actor, { action, targetType: 'import', targetId: record.id, after }, transaction);
}

/** Writes the audit entry of an import that ends, with its counts. The ledger has the outcomes of its rows. */
export async function auditFinish(
  core: Core,
  actor: Actor,
  { id, fileName }: Import,
  counts: ImportCounts,
  transaction: Transaction,
): Promise<void> {
  const entry = {
    action: 'import.finish',
    targetType: 'import',
    targetId: id,
    after: { fileName, ...counts },
  } as const;
  await recordAudit(core, actor, entry, transaction);
}

/** Returns the next number. Another import that begins at the same time may get the same number. */
async function nextNumber(core: Core, transaction: Transaction): Promise<number> {
  const { Import } = core.database.models;
  const last = await Import.findOne({ attributes: ['number'], order: [['number', 'DESC']], transaction });
  return (last?.number ?? 0) + 1;
}

/** Calls `create` until no other import takes the same number. Each collision means another new import, so collisions end. */
async function withUniqueNumber<T>(create: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!violatesUniqueIndex(error, 'imports_number_unique', 'imports.number')) throw error;
    }
  }
}

/** Records an import with the next number, and its audit entry. @param alsoWrite writes further rows in the same transaction */
export async function createImport(
  core: Core,
  actor: Actor,
  { id = uuidv7(), options, ...fields }: NewImport,
  alsoWrite: (record: Import, transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<Import> {
  const work = async (transaction: Transaction) => {
    const now = core.now();
    const record = await core.database.models.Import.create(
      {
        id,
        number: await nextNumber(core, transaction),
        ...fields,
        origin: actor.origin,
        optionsJson: serializeImportOptions(options),
        createdBy: actor.actorId,
        createdAt: now,
        startedAt: fields.status === 'running' ? now : null,
      },
      { transaction },
    );
    await alsoWrite(record, transaction);
    await auditBegin(core, actor, record, transaction);
    return record;
  };
  return withUniqueNumber(() => core.database.inTransaction(work, confirmedById(core.database.models.Import)));
}

/** {@link planColumns} of an import without a plan. */
export const noPlanColumns = { planId: null, rowsTotal: null, formatJson: null };

export function planColumns(plan: ImportPlan) {
  return {
    planId: plan.id,
    rowsTotal: plan.counts.rows,
    formatJson: JSON.stringify(plan.format),
  };
}

/** Returns the state and the files of an import. The path is null for a file without rows, and for fetched passwords. */
export function resultOf(record: Import): ImportResult {
  // A newly created record has undefined instead of null for defaults.
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
