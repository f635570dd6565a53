import type { InferAttributes, Transaction } from 'sequelize';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { Actor, Core } from '../../core.js';
import type { Reports } from '../output/reports.js';
import type { Decider } from '../plan/decider.js';
import type { ImportPlan } from '../plan/plan.js';
import type { ReasonGroups } from '../plan/reasons.js';
import type { ColumnMapping } from '../read/columns.js';
import type { CellMask } from '../read/preview.js';
import { fileIdentity } from '../read/source-file.js';
import { assertLeaseHeld } from './import-lock.js';

/** The state of one run of an import. */
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
  /** Why rows are skipped or rejected, those that an earlier run has done included. */
  reasons: ReasonGroups;
  /** How many batches were decided again. */
  redecisions: number;
  cancelCheckedAt: number;
  /** It was told to stop before its last row. */
  isInterrupted: boolean;
}

/** @throws AppError `IMPORT_CONFLICT` */
export async function assertUnchanged({ file, fileIdentity: planned }: ImportPlan): Promise<void> {
  // A file that is gone or can't be read any more has changed, too.
  const current = await fileIdentity(file).catch(() => undefined);
  if (current !== planned)
    throw new AppError(
      'IMPORT_CONFLICT',
      `The file ${file} was changed after it was read. Import it again: rows that are done are skipped.`,
    );
}

/**
 * Commits the progress of an import together with the work, if this process still holds the lease.
 * @param work may run more than once
 */
export async function advance(
  { core, lease, record }: Pick<ImportRun, 'core' | 'lease' | 'record'>,
  progress: Partial<InferAttributes<Import>>,
  work: (transaction: Transaction) => Promise<void> = async () => undefined,
): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    // One after the other: a statement that is queued when the database ends the transaction would commit by itself.
    await assertLeaseHeld(lease, record, transaction);
    await work(transaction);
    await core.database.models.Import.update(progress, { where: { id: record.id }, transaction });
  });
  record.set(progress, { raw: true });
}
