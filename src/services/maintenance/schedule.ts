import { setTimeout as sleep } from 'node:timers/promises';
import { sweepSessions } from '../auth/sessions.js';
import { sweepThrottle } from '../auth/throttle-locks.js';
import type { Core } from '../core.js';
import { sweepFiles } from './orphan-cleanup.js';

/** How often the service tidies up, in milliseconds. */
const everyMs = 60 * 60_000;

/** How long the end of the service waits for what is under way, in milliseconds: a storage may have fallen silent. */
const longestWaitMs = 5000;

/**
 * What is removed that nobody needs any more; every instance may do it at any time. A chore that finds much to do ends
 * early when it is told to.
 */
const chores: Readonly<Record<string, (core: Core, signal: AbortSignal) => Promise<Record<string, number>>>> = {
  files: sweepFiles,
  sessions: async (core, signal) => ({ removed: await sweepSessions(core, signal) }),
  throttle: async (core) => ({ removed: await sweepThrottle(core) }),
};

/** Tidies up now and every hour. */
export function startHousekeeping(core: Core): { close(): Promise<void> } {
  let underWay = Promise.resolve();
  const stop = new AbortController();
  async function tidy(): Promise<void> {
    for (const [what, chore] of Object.entries(chores)) {
      if (stop.signal.aborted) return;
      try {
        const figures = await chore(core, stop.signal);
        if (Object.values(figures).some((figure) => figure > 0)) core.logger.info({ what, ...figures }, 'tidied up');
      } catch (error) {
        // The next hour comes.
        core.logger.warn({ what, err: error }, 'could not tidy up');
      }
    }
  }
  const start = () => {
    underWay = tidy();
  };
  start();
  const timer = setInterval(start, everyMs);
  return {
    async close() {
      clearInterval(timer);
      stop.abort();
      await Promise.race([underWay, sleep(longestWaitMs, undefined, { ref: false })]);
    },
  };
}
