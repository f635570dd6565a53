import type { Core } from '../core.js';

/** The clocks of instances may differ from that of the database by so many milliseconds before each says so in its log. */
const tolerableSkewMs = 30_000;

/** Milliseconds by which the clock of the database is ahead of the one of this machine. */
export async function clockSkewMs({ databaseNow, now }: Pick<Core, 'databaseNow' | 'now'>): Promise<number> {
  const time = await databaseNow();
  return time.getTime() - now().getTime();
}

/** Warns of a clock that differs from that of the database: sessions, tokens and limits of this instance have other times. */
export async function checkClock(core: Core): Promise<Record<string, number>> {
  const skewMs = await clockSkewMs(core);
  if (Math.abs(skewMs) > tolerableSkewMs)
    core.logger.warn(
      { skewMs },
      `the clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'behind' : 'ahead of'} the one of the database: synchronise both (NTP)`,
    );
  return {};
}
