import { activeLeases, type Lease, withLease } from '../../db/lease.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';

const leaseName = 'backup';

/**
 * Runs work during which no process removes stored files: deletions only mark them. So all live files of a database
 * snapshot read in `work` exist until `work` ends. A process that is paused for too long loses the hold: see {@link
 * assertRemovalsHeld}.
 * @throws AppError `FILE_UNUSABLE` if another process runs such work
 */
export function holdRemovals<T>({ database }: Core, work: (hold: Lease) => Promise<T>): Promise<T> {
  const refusal = () =>
    new AppError('FILE_UNUSABLE', 'Another backup is running, or was killed less than 30 s ago. Try again later.');
  return withLease(database, leaseName, 0, refusal, work, { isRenewedWhenExpired: false });
}

/** @throws AppError `FILE_UNUSABLE` if files may have been removed since the work began */
export async function assertRemovalsHeld({ database }: Core, hold: Lease): Promise<void> {
  if (await database.inTransaction((transaction) => hold.renew(transaction))) return;
  throw new AppError(
    'FILE_UNUSABLE',
    'The backup was paused, or could not write to the database, for 30 s or longer: files that belong to it may have been removed meanwhile. Run it again.',
  );
}

/**
 * Whether a backup forbids the removal of files. Call it after reading the rows of marked files: a backup that starts
 * later sees these files as marked and doesn't need them.
 */
export async function areRemovalsHeld({ database }: Core): Promise<boolean> {
  return (await activeLeases(database, [leaseName])).size > 0;
}
