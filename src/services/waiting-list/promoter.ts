import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, withLease } from '../../db/lease.js';
import { assertSchemaCurrent } from '../../db/migrations/migrator.js';
import { AppError, isAppError } from '../../errors.js';
import type { Core } from '../core.js';
import { coursesDue, promote } from './promotion.js';

/** Lease of the one process that gives seats, among all instances. */
const leaseName = 'promotion';

/** Duration of the lease, in milliseconds. A killed instance blocks the others for this time. */
const leaseMs = 15_000;

/**
 * Interval of searches for due courses, in milliseconds. Courses also become due with time, and through other instances
 * and killed processes.
 */
const defaultPollMs = 2000;

/** Gives free seats to waiting lists until it is closed. */
export interface Promoter {
  /** Stops after the running step. */
  close(): Promise<void>;
}

const leaseTaken = () => new AppError('PROMOTION_RUNNING');

/** Starts to give free seats of all courses to their waiting lists, after changes that free seats and at regular intervals. */
export function startPromoter(core: Core, { pollMs = defaultPollMs }: { pollMs?: number } = {}): Promoter {
  const stop = new AbortController();
  let wakeUp = new AbortController();
  core.freedSeats.onAdd(() => wakeUp.abort());

  /** @param among all courses by default */
  async function promoteDue(among?: readonly string[]): Promise<void> {
    try {
      const due = await coursesDue(core, among);
      if (due.length === 0) return;
      // A newer version may have migrated the database, and may have other rules.
      await assertSchemaCurrent(core.database);
      const work = (lease: Lease) => promote(core, due, { signal: stop.signal, lease });
      const { promoted } = await withLease(core.database, leaseName, 0, leaseTaken, work, { durationMs: leaseMs });
      if (promoted > 0) core.logger.info({ promoted }, 'free seats given to waiting lists');
    } catch (error) {
      // The next round tries again. It is no failure if another instance has the lease.
      if (!isAppError(error, 'PROMOTION_RUNNING')) core.logger.warn({ err: error }, 'the promoter failed');
    }
  }

  async function run(): Promise<void> {
    for (let nextPoll = performance.now(); !stop.signal.aborted; ) {
      const isPoll = performance.now() >= nextPoll;
      const added = core.freedSeats.take();
      if (isPoll) nextPoll = performance.now() + pollMs;
      if (isPoll || added.length > 0) await promoteDue(isPoll ? undefined : added);
      const { signal } = wakeUp;
      await sleep(Math.max(0, nextPoll - performance.now()), undefined, { signal }).catch(() => undefined);
      wakeUp = new AbortController();
    }
  }
  const running = run();
  return {
    async close() {
      stop.abort();
      wakeUp.abort();
      await running;
    },
  };
}
