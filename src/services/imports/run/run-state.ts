import type { InferAttributes, Transaction } from 'sequelize';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import { readFileIdentity } from '../../../tables/encoding/source-file.js';
import type { Actor, Core } from '../../core.js';
import type { Reports } from '../output/reports.js';
import type { Decider } from '../plan/decider.js';
import type { ImportPlan } from '../plan/plan.js';
import type { ReasonGroups } from '../plan/reasons.js';
import type { ColumnMapping } from '../read/columns/columns.js';
import type { CellMask } from '../read/preview.js';
import { assertLeaseHeld } from './import-lock.js';

export interface ImportRun {
  core: Core;
  actor: Actor;
  plan: ImportPlan;
  record: Import;
  lease: Lease;
  reports: Reports;
  mapping: ColumnMapping;
  mask: CellMask;
  decider: Decider;
  /** Reasons why rows are skipped or rejected, including the rows of earlier runs. */
  reasons: ReasonGroups;
}

/** Thrown if another process has changed data on which a decision relies: the batch must be decided again. */
export class StaleDecision extends Error {
  override readonly name = 'StaleDecision';
}

/** Thrown if all rows of a run must be undone. The caller undoes them under the lease of the run. */
export class UndoRequired extends AppError {
  constructor(
    readonly record: Import,
    why: string,
  ) {
    super('IMPORT_REFUSED', why);
  }
}

/** Thrown if the file of an import has changed since planning. */
export class FileChanged extends AppError {
  constructor(file: string) {
    super(
      'IMPORT_CONFLICT',
      `The file ${file} was changed or saved again after it was read. Import it again: rows that are done are skipped.`,
    );
  }
}

/** @throws FileChanged */
export async function assertUnchanged(plan: ImportPlan): Promise<void> {
  // A file that is gone or unreadable has changed, too.
  const current = await readFileIdentity(plan.file).catch(() => undefined);
  if (current !== plan.fileIdentity) throw new FileChanged(plan.file);
}

/**
 * Commits the progress of an import together with the work, if this process still holds the lease.
 * @param work writes rows in the same transaction, and returns further progress; may run more than once
 * @throws AppError `IMPORT_CONFLICT` if the lease was lost
 */
export async function commitProgress(
  { core, lease, record }: Pick<ImportRun, 'core' | 'lease' | 'record'>,
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<Partial<InferAttributes<Import>>> | Promise<void> = async () => undefined,
): Promise<void> {
  const all = await core.database.inTransaction(async (transaction) => {
    // Statements run one after the other: a statement that is queued when the database ends the transaction would commit by
    // itself.
    await assertLeaseHeld(lease, record, transaction);
    const fields = { ...progress, ...(await work(transaction)) };
    await core.database.models.Import.update(fields, { where: { id: record.id }, transaction });
    return fields;
  });
  record.set(all, { raw: true });
}

/**
 * Refuses an import whose rows must all be undone.
 * @param why sentence for the operator, stored with the import: when the undo is resumed, the rows may no longer be bad
 * @returns the error to throw
 */
export async function refuse(run: ImportRun, why: string): Promise<UndoRequired> {
  await commitProgress(run, { status: 'undoing', errorCode: 'IMPORT_REFUSED', errorMessage: why });
  return new UndoRequired(run.record, why);
}
