import { activeLeases, type Lease, withLease } from '../../db/lease.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';

const leaseName = 'backup';

/**
 * Runs work while no process removes stored files: deletions only mark them meanwhile. A snapshot of the database that is read
 * in `work` therefore names no live file that is removed before `work` ends. A process that is paused for too long is taken for
 * dead: {@link assertRemovalsHeld} tells.
 * @throws AppError `FILE_UNUSABLE` when another process does this
 */
export function holdRemovals<T>({ database }: Core, work: (hold: Lease) => Promise<T>): Promise<T> {
  const refusal = () =>
    new AppError('FILE_UNUSABLE', 'Another backup is running, or was killed less than 30 s ago. Try again later.');
  return withLease(database, leaseName, 0, refusal, work, { isRenewedWhenExpired: false });
}

/** @throws AppError `FILE_UNUSABLE` when files may have been removed since the work began */
export async function assertRemovalsHeld({ database }: Core, hold: Lease): Promise<void> {
  if (await database.inTransaction((transaction) => hold.renew(transaction))) return;
  throw new AppError(
    'FILE_UNUSABLE',
    'The backup was paused, or could not write to the database, for 30 s or longer: files that belong to it may have been removed meanwhile. Run it again.',
  );
}

/**
 * Whether files must stay. Asked after the rows of marked files were read: a snapshot that is begun later has them marked as
 * well, so that they may be removed.
 */
export async function areRemovalsHeld({ database }: Core): Promise<boolean> {
  return (await activeLeases(database, [leaseName])).size > 0;
}
