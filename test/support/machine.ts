import { availableParallelism } from 'node:os';

/** What {@link work} takes on a quiet core of the machine that the tests' limits were chosen on, in milliseconds. */
const referenceMs = 12;

/** A fixed amount of computing. */
function work(): number {
  let sum = 0;
  for (let index = 0; index < 1_000_000; index += 1) sum = (sum + index * index) % 1_000_003;
  return sum;
}

/** How much slower this process computes now than a quiet reference machine, as a factor; 1 at least. */
export function slownessNow(): number {
  const startedAt = performance.now();
  work();
  return Math.max(1, (performance.now() - startedAt) / referenceMs);
}

let own: number | undefined;

/**
 * What a limit of a measured time, in any unit, is on this machine: the given one on the reference machine, more where the
 * processor is slower now, however many processes wait for it. It is measured by the first call, before the process is busy.
 */
export function scaledToProcessor(limit: number): number {
  own ??= Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return Math.max(1, (user + system) / 1000 / referenceMs);
    }),
  );
  return Math.ceil(limit * own);
}

/** Measured once by `test/run.ts`, for all its workers: several share a core. */
const slowness = Number(process.env.TEST_SLOWNESS ?? slownessNow() * Math.max(1, 4 / availableParallelism()));

/**
 * A limit that is there to notice what hangs, in milliseconds: the given one on a quiet machine, more on a slower or
 * busier one.
 */
export function scaled(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness);
}

/** How long work may wait for a connection, as the setting: {@link scaled}, but no longer than the setting permits. */
export const relaxedPool = { DB_POOL_ACQUIRE_MS: String(Math.min(60_000, scaled(3000))) };
