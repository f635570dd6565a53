import type { Transaction } from 'sequelize';
import { activeLeases, type Lease, type LeaseOptions, withLease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { credentialsLease, jobLease, leaseName } from './repository.js';

/** How a run waits for its turn. */
export interface Turn extends Required<Pick<LeaseOptions, 'signal' | 'onWait'>> {
  /** How long it waits, in milliseconds; long enough to outlast a run that died when absent. */
  waitMs?: number;
}

/** A run that isn't heard of for so long is dead. */
const leaseMs = 10_000;
/** How long the next one waits for it. */
const leaseWaitMs = 15_000;
/** Runs `work` while nobody else works on an import of this file with these options. */
export function withImportLease<T>(
  core: Core,
  fileSha256: string,
  options: string,
  { signal, onWait, waitMs = leaseWaitMs }: Turn,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', 'This file is being imported by another process. Wait for it to end.');
  const leaseOptions = { durationMs: leaseMs, signal, onWait };
  return withLease(core.database, leaseName(fileSha256, options), waitMs, refusal, work, leaseOptions);
}

/**
 * Runs `work` while the service doesn't run this import, nor anybody else who goes on with it or takes it back: an import
 * over HTTP has a lease of its own besides that on its file.
 */
export async function withJobLease<T>(core: Core, record: Import, turn: Turn, work: () => Promise<T>): Promise<T> {
  if (record.origin !== 'http') return work();
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', `The import ${record.id} is being run by the service. Wait for it, or cancel it.`);
  const leaseOptions = { durationMs: leaseMs, signal: turn.signal, onWait: turn.onWait };
  return withLease(core.database, jobLease(record), leaseWaitMs, refusal, work, leaseOptions);
}

/** Imports that somebody can go on with; the service goes on by itself with those that wait or run. */
const resumable: readonly ImportStatus[] = ['interrupted', 'failed', 'cancelled'];

function notResumable(status: ImportStatus): string {
  if (status === 'undoing') return 'is being undone: it can only be undone to the end.';
  // A run that was killed looks alive until its lease is free.
  if (status === 'running')
    return `is running, or broke off less than ${leaseMs / 1000} seconds ago: wait for its end, or try again then.`;
  return `is ${status}: there is nothing to resume.`;
}

/** @throws AppError `IMPORT_CONFLICT` when an import has ended, or is being taken back */
export function assertUnfinished({ id, status }: Pick<Import, 'id' | 'status'>, others: ImportStatus[] = []): void {
  if (resumable.includes(status) || others.includes(status)) return;
  throw new AppError('IMPORT_CONFLICT', `The import ${id} ${notResumable(status)}`);
}

/** @throws AppError `IMPORT_CONFLICT` while somebody fetches the passwords of an import that is to be gone on with */
export async function assertNotFetched(core: Core, record: Import, transaction: Transaction): Promise<void> {
  if ((await activeLeases(core.database, [credentialsLease(record)], transaction)).size > 0)
    throw new AppError(
      'IMPORT_CONFLICT',
      `The passwords of the import ${record.id} are being fetched. Resume it then.`,
    );
}
