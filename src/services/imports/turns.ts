import { type Lease, type LeaseOptions, withLease } from '../../db/lease.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { leaseName } from './record.js';

/** How a run waits for its turn. */
export type Turn = Required<Pick<LeaseOptions, 'signal' | 'onWait'>>;

/** A run that isn't heard of for so long is dead. */
const leaseMs = 10_000;
/** How long the next one waits for it. */
const leaseWaitMs = 15_000;
/** Runs `work` while nobody else works on an import of this file with these options. */
export function withImportLease<T>(
  core: Core,
  fileSha256: string,
  options: string,
  { signal, onWait }: Turn,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const refusal = () =>
    new AppError('IMPORT_CONFLICT', 'This file is being imported by another process. Wait for it to end.');
  const leaseOptions = { durationMs: leaseMs, signal, onWait };
  return withLease(core.database, leaseName(fileSha256, options), leaseWaitMs, refusal, work, leaseOptions);
}
