import { availableParallelism } from 'node:os';

/** Milliseconds of {@link work} on an idle core of the reference machine, for which the tests' limits were chosen. */
const referenceMs = 12;

/** Does a fixed amount of computation. */
function work(): number {
  let sum = 0;
  for (let index = 0; index < 1_000_000; index += 1) sum = (sum + index * index) % 1_000_003;
  return sum;
}

/** Returns how many times slower this process is now than on an idle reference machine; at least 1. */
export function slownessNow(): number {
  const startedAt = performance.now();
  work();
  return Math.max(1, (performance.now() - startedAt) / referenceMs);
}

let processorSlowness: number | undefined;

/**
 * Scales a limit of a measured time, in any unit, to this machine's processor. Competing processes don't count. The speed
 * is measured at the first call, before the process is busy.
 */
export function scaledToProcessor(limit: number): number {
  processorSlowness ??= Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return Math.max(1, (user + system) / 1000 / referenceMs);
    }),
  );
  return Math.ceil(limit * processorSlowness);
}

/** Measured by `test/run.ts` for all its workers together, because several workers share a core. */
const slowness = Number(process.env.TEST_SLOWNESS ?? slownessNow() * Math.max(1, 4 / availableParallelism()));

/**
 * Scales a time limit that detects hanging work, in milliseconds: the given limit on an idle machine, more on a slower or
 * busier one.
 */
export function scaled(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness);
}

/** Setting for how long work may wait for a connection: {@link scaled}, but at most the setting's maximum. */
export const relaxedPool = { DB_POOL_ACQUIRE_MS: String(Math.min(60_000, scaled(3000))) };
