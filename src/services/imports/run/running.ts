import type { InferAttributes, Transaction } from 'sequelize';
import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { Actor, Core } from '../../core.js';
import type { Reports } from '../output/report-files.js';
import type { Decider } from '../plan/decider.js';
import type { ImportPlan } from '../plan/plan.js';
import type { ColumnMapping } from '../read/columns.js';
import { fileIdentity } from '../read/source-file.js';

/** One run of an import, and what it works with. */
export interface Running {
  core: Core;
  actor: Actor;
  plan: ImportPlan;
  record: Import;
  lease: Lease;
  reports: Reports;
  mapping: ColumnMapping;
  decider: Decider;
  /** How many batches were decided anew. */
  rounds: number;
  cancelCheckedAt: number;
  /** It was told to end while there were rows left. */
  isCutShort: boolean;
}

/** @throws AppError `IMPORT_CONFLICT` */
export async function assertUnchanged({ file, fileIdentity: planned }: ImportPlan): Promise<void> {
  // A file that is gone, or can't be read any more, isn't what it was either.
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
export async function advance(
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
