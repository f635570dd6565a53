import type { Core } from '../core.js';

/** Difference between the clocks of an instance and the database at which the instance logs a warning, in milliseconds. */
const tolerableSkewMs = 30_000;

/** Returns by how many milliseconds the database's clock is ahead of this machine's clock. */
export async function clockSkewMs({ databaseNow, now }: Pick<Core, 'databaseNow' | 'now'>): Promise<number> {
  const time = await databaseNow();
  return time.getTime() - now().getTime();
}

/**
 * Logs a warning if this machine's clock differs from the database's clock. Otherwise nobody notices that sessions,
 * tokens and limits of this instance have wrong times.
 */
export async function checkClock(core: Core): Promise<Record<string, number>> {
  const skewMs = await clockSkewMs(core);
  if (Math.abs(skewMs) > tolerableSkewMs)
    core.logger.warn(
      { skewMs },
      `the clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'behind' : 'ahead of'} the database's clock: synchronise both (NTP)`,
    );
  return {};
}
