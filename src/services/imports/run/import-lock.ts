import { createHash } from 'node:crypto';
import type { Transaction } from 'sequelize';
import { type Lease, type LeaseOptions, withLease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { ImportOptions, ImportStatus } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { comparableTitle } from '../../courses/find-course.js';
import { type Leasable, leaseName } from '../store/repository.js';

/** Duration of a lease in milliseconds. A run that doesn't renew its lease for this time counts as dead. */
export const leaseMs = 10_000;
/** Maximum wait for a lease in milliseconds: long enough for the lease of a dead run to expire. */
const leaseWaitMs = 15_000;

interface LeaseWaitOptions extends Pick<LeaseOptions, 'signal' | 'onWait'> {
  /** Maximum wait in milliseconds. By default, long enough for the lease of a dead run to expire. */
  waitMs?: number;
}

/**
 * Runs `work` under the lease of an import: no other process plans, runs or undoes the import, or sends its passwords. At a
 * terminal, no other process imports the file with the same options.
 * @throws AppError `IMPORT_BUSY`, `INTERRUPTED`
 */
export function withImportLease<T>(
  core: Core,
  record: Leasable,
  { waitMs = leaseWaitMs, ...options }: LeaseWaitOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const message =
    record.origin === 'http'
      ? `The import ${record.number} is running, or its passwords are being fetched. Try again in a minute.`
      : 'Another process is importing this file. Wait until that import ends.';
  const refusal = () => new AppError('IMPORT_BUSY', message);
  return withLease(core.database, leaseName(record), waitMs, refusal, work, { ...options, durationMs: leaseMs });
}

/**
 * Runs a sync while no other sync of the same group runs. Other imports run at once.
 * @throws AppError `IMPORT_BUSY`, `INTERRUPTED`
 */
export function withRosterLease<T>(
  core: Core,
  { roster }: Pick<ImportOptions, 'roster'>,
  { signal, onWait }: Pick<LeaseOptions, 'signal' | 'onWait'>,
  work: () => Promise<T>,
): Promise<T> {
  if (roster === undefined) return work();
  const name = `roster:${createHash('sha256').update(comparableTitle(roster)).digest('hex')}`;
  const refusal = () => new AppError('IMPORT_BUSY', `Another sync of "${roster}" is running. Wait until it ends.`);
  return withLease(core.database, name, leaseWaitMs, refusal, work, {
    durationMs: leaseMs,
    ...(signal && { signal }),
    ...(onWait && { onWait }),
  });
}

/** Statuses of imports that a command can resume. The service resumes queued and running imports. */
const resumable: readonly ImportStatus[] = ['interrupted', 'failed', 'cancelled'];

/** Completes a sentence such as "The import 5 is running: first ...". */
export const howToCancel = ({ number }: Pick<Import, 'number'>): string =>
  `cancel it in the web console or with: coursectl imports cancel ${number}`;

/** Completes a sentence such as "The plan was not applied: ...". */
export const howToApply = ({ id }: Pick<Import, 'id'>): string =>
  `apply it in the web console or with POST /api/imports/${id}/apply.`;

/** Completes the sentence "The import 5 ..." for an import that can't be resumed. */
function notResumable({ id, number, status }: Pick<Import, 'id' | 'number' | 'status'>): string {
  if (status === 'undoing') return `is being undone. Finish its undo: coursectl imports undo ${number}`;
  if (status === 'planned') return `is planned, and its plan was not applied: ${howToApply({ id })}`;
  // A killed run looks alive until its lease expires.
  if (status === 'running')
    return `is running, or broke off less than ${leaseMs / 1000} seconds ago: try again after its end, or in ${leaseMs / 1000} seconds.`;
  return `is ${status}: there is nothing to resume.`;
}

/**
 * Makes sure that a command may resume an import.
 * @param others further allowed statuses
 * @throws AppError `IMPORT_CONFLICT` if an import has ended, or is being undone
 */
export function assertUnfinished(record: Pick<Import, 'id' | 'number' | 'status'>, others: ImportStatus[] = []): void {
  if (resumable.includes(record.status) || others.includes(record.status)) return;
  const { number, status } = record;
  throw new AppError('IMPORT_CONFLICT', `The import ${number} ${notResumable(record)}`, { params: { status } });
}

/**
 * Renews the lease of a run in a transaction: no other process gets the lease until the transaction ends.
 * @throws AppError `IMPORT_CONFLICT` if the lease was lost
 */
export async function assertLeaseHeld(
  lease: Lease,
  { number }: Pick<Import, 'number'>,
  transaction: Transaction,
): Promise<void> {
  if (!(await lease.renew(transaction)))
    throw new AppError('IMPORT_CONFLICT', `The import ${number} was taken over by another process.`);
}
