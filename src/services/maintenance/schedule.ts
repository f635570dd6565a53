import { setTimeout as sleep } from 'node:timers/promises';
import { assertSchemaCurrent } from '../../db/migrations/migrator.js';
import { isAppError } from '../../errors.js';
import { sweepSessions } from '../auth/sessions.js';
import { sweepThrottle } from '../auth/throttle-locks.js';
import type { Core } from '../core.js';
import { sweepPlans } from '../imports/store/plan-store.js';
import { sweepMails } from '../mail/outbox.js';
import { checkClock } from './clock.js';
import { pruneLedgers } from './ledger-retention.js';
import { sweepFiles } from './orphan-cleanup.js';
import { pruneAudit } from './retention.js';

const hourMs = 60 * 60_000;

/** Time that closing waits for a running cleanup, in milliseconds. Limited, because a storage may not answer. */
const closeTimeoutMs = 5000;

/**
 * Cleanups and the check of the clock. Each may run on every instance at any time, and returns early when the signal is
 * aborted.
 */
const cleanups: Readonly<Record<string, (core: Core, signal: AbortSignal) => Promise<Record<string, number>>>> = {
  files: async (core, signal) => {
    // sweepFiles() has logged failed removals with their reason.
    const { removed, leftovers } = await sweepFiles(core, signal);
    return { removed, leftovers };
  },
  plans: sweepPlans,
  sessions: async (core, signal) => ({ removed: await sweepSessions(core, signal) }),
  'audit log': async (core, signal) => {
    const days = core.config.retention.auditDays;
    if (days === undefined) return {};
    const { exported } = await pruneAudit(core, days, signal);
    return { exported };
  },
  'import ledgers': async (core, signal) => {
    const days = core.config.retention.importDays;
    if (days === undefined) return {};
    const { imports, exported } = await pruneLedgers(core, days, signal);
    return { imports, exported };
  },
  clock: checkClock,
  mails: async (core, signal) => ({ removed: await sweepMails(core, signal) }),
  throttle: async (core, signal) => ({ removed: await sweepThrottle(core, signal) }),
};

/** Runs the cleanups now and at each interval. @param everyMs interval in milliseconds */
export function startHousekeeping(core: Core, everyMs = hourMs): { close(): Promise<void> } {
  let running = Promise.resolve();
  const stop = new AbortController();
  async function runAll(): Promise<void> {
    for (const [what, cleanup] of Object.entries(cleanups)) {
      if (stop.signal.aborted) return;
      try {
        // A newer program may have added columns that this program would delete without exporting them.
        await assertSchemaCurrent(core.database);
        const counts = await cleanup(core, stop.signal);
        if (Object.values(counts).some((count) => count > 0)) core.logger.info({ what, ...counts }, 'cleanup done');
      } catch (error) {
        // Another instance runs the export.
        if (isAppError(error, 'RETENTION_RUNNING')) continue;
        // The next run retries.
        core.logger.warn({ what, err: error }, 'cleanup failed');
        if (isAppError(error, 'SCHEMA_OUTDATED')) return;
      }
    }
  }
  let isRunning = false;
  const startRun = () => {
    // Skips this run while the previous one continues: closing waits only for the latest run.
    if (isRunning) return;
    isRunning = true;
    running = runAll().finally(() => {
      isRunning = false;
    });
  };
  startRun();
  const timer = setInterval(startRun, everyMs);
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await Promise.race([running, sleep(closeTimeoutMs, undefined, { ref: false })]);
    },
  };
}
