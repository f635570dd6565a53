import type { Transaction } from 'sequelize';
import { type Lease, withLease } from '../../db/lease.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { removeUnfinishedArchives } from './archive.js';

/** How many rows are exported to a file before they are deleted: their ids are kept in memory meanwhile. */
export const archivedRows = 20_000;

/** How many rows are deleted in one transaction, which must not delay requests. */
const deletedRows = 500;

/** The time before which rows are exported and deleted. @param days the retention */
export function retentionStart(core: Core, days: number): Date {
  return new Date(core.now().getTime() - days * 86_400_000);
}

/**
 * Runs `work` under the lease of the exports, so that one process of all instances exports at a time. Removes what killed
 * runs have left.
 * @throws AppError `RETENTION_RUNNING` while another process exports
 */
export async function withRetentionLease<T>(core: Core, work: (lease: Lease) => Promise<T>): Promise<T> {
  const refusal = () => new AppError('RETENTION_RUNNING');
  return withLease(core.database, 'retention', 0, refusal, async (lease) => {
    await removeUnfinishedArchives(core);
    return work(lease);
  });
}

/** @throws AppError `INTERRUPTED` when another process has the lease: it does the rest */
export async function assertStillHeld(lease: Lease, transaction: Transaction): Promise<void> {
  if (!(await lease.renew(transaction)))
    throw new AppError('INTERRUPTED', 'Another process has taken over the export of old rows.');
}

/**
 * Deletes exported rows in short transactions, by exactly the keys that were exported.
 * @param destroy deletes the rows with these keys in a transaction
 * @throws AppError `INTERRUPTED` when another process has the lease: it exports the rest again
 */
export async function deleteExported<K>(
  core: Core,
  lease: Lease,
  keys: readonly K[],
  destroy: (keys: K[], transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  // In the order of the export: what a crash leaves is exported again.
  for (let from = 0; from < keys.length; from += deletedRows) {
    await core.database.inTransaction(async (transaction) => {
      await assertStillHeld(lease, transaction);
      await destroy(keys.slice(from, from + deletedRows), transaction);
    });
  }
}
