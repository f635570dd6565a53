import type { Transaction } from 'sequelize';
import { activeLeases, type Lease, type LeaseOptions, withLease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { credentialsLease, jobLease, leaseName } from '../store/repository.js';

/** How a run waits for the lease of its import. */
export interface LockOptions extends Required<Pick<LeaseOptions, 'signal' | 'onWait'>> {
  /** How long it waits, in milliseconds; when absent, until the lease of a dead run has expired. */
  waitMs?: number;
}

/** A run that doesn't renew its lease for so long is dead, in milliseconds. */
export const leaseMs = 10_000;
/** Long enough for the lease of a dead run to expire, in milliseconds. */
const leaseWaitMs = 15_000;

/** Runs `work` while no other process works on an import of this file with these options. */
export function withImportLease<T>(
  core: Core,
  fileSha256: string,
  options: string,
  { signal, onWait, waitMs = leaseWaitMs }: LockOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', 'This file is being imported by another process. Wait for it to end.');
  const leaseOptions = { durationMs: leaseMs, signal, onWait };
  return withLease(core.database, leaseName(fileSha256, options), waitMs, refusal, work, leaseOptions);
}

/**
 * Runs `work` while neither the service nor another process runs, resumes or undoes this import: an import over HTTP has
 * a lease of its own besides that on its file.
 */
export async function withJobLease<T>(
  core: Core,
  record: Import,
  { signal, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (record.origin !== 'http') return work();
  const refusal = () =>
    new AppError(
      'IMPORT_CONFLICT',
      `The import ${record.number} is being run by the service. Wait for its end, or ${howToCancel(record)}`,
    );
  const leaseOptions = { durationMs: leaseMs, signal, onWait };
  return withLease(core.database, jobLease(record), leaseWaitMs, refusal, work, leaseOptions);
}

/** Imports that can be resumed by command; the service resumes those that are queued or running. */
const resumable: readonly ImportStatus[] = ['interrupted', 'failed', 'cancelled'];

/** The next step where an import must be cancelled first. */
export const howToCancel = ({ number }: Pick<Import, 'number'>): string =>
  `cancel it in the web console or with: coursectl imports cancel ${number}`;

/** The next step of an import over HTTP whose plan waits for a person. */
export const howToApply = ({ id }: Pick<Import, 'id'>): string =>
  `apply it in the web console or with POST /api/imports/${id}/apply.`;

function notResumable({ id, number, status }: Pick<Import, 'id' | 'number' | 'status'>): string {
  if (status === 'undoing') return `is being undone. Finish its undo: coursectl imports undo ${number}`;
  if (status === 'planned') return `is planned, and its plan was not applied: ${howToApply({ id })}`;
  // A run that was killed looks alive until its lease expires.
  if (status === 'running')
    return `is running, or broke off less than ${leaseMs / 1000} seconds ago: wait for its end, or try again then.`;
  return `is ${status}: there is nothing to resume.`;
}

/** @throws AppError `IMPORT_CONFLICT` when an import has ended, or is being undone */
export function assertUnfinished(record: Pick<Import, 'id' | 'number' | 'status'>, others: ImportStatus[] = []): void {
  if (resumable.includes(record.status) || others.includes(record.status)) return;
  throw new AppError('IMPORT_CONFLICT', `The import ${record.number} ${notResumable(record)}`);
}

/**
 * Renews the lease of a run in a transaction: until it ends, no other process gets the lease.
 * @throws AppError `IMPORT_CONFLICT` when the lease was lost
 */
export async function assertLeaseHeld(
  lease: Lease,
  { number }: Pick<Import, 'number'>,
  transaction: Transaction,
): Promise<void> {
  if (!(await lease.renew(transaction)))
    throw new AppError('IMPORT_CONFLICT', `The import ${number} was taken over by another process.`);
}

/** @throws AppError `IMPORT_CONFLICT` while the passwords of the import are being fetched */
export async function assertNotBeingFetched(core: Core, record: Import, transaction: Transaction): Promise<void> {
  if ((await activeLeases(core.database, [credentialsLease(record)], transaction)).size > 0)
    throw new AppError(
      'IMPORT_CONFLICT',
      `The passwords of the import ${record.number} are being fetched. Try again in a minute.`,
    );
}
