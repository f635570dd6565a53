import { processorSlowness } from './machine.js';

/**
 * Whether long loops run in full: `TEST_DEPTH=full`, which `.ci/run` sets. By default they do enough to catch a broken
 * build.
 */
export const fullDepth = process.env.TEST_DEPTH === 'full';

/** Up to here everything is done within an hour. */
const usualSlowness = 2.5;

/** Measurements, over a second: the processor may be busy with something else for a moment. */
const measurements = 10;
const pauseMs = 100;

/** Measured once for the whole run. */
function measuredSlowness(): number {
  process.env.TEST_PROCESSOR_SLOWNESS ??= leastSlowness().toFixed(2);
  return Number(process.env.TEST_PROCESSOR_SLOWNESS);
}

function leastSlowness(): number {
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  const found = Array.from({ length: measurements }, () => {
    Atomics.wait(sleeping, 0, 0, pauseMs);
    return processorSlowness();
  });
  return Math.min(...found);
}

const slowness = fullDepth ? measuredSlowness() : 1;

/**
 * By how much loops are shortened at full depth: 1 on a machine of usual speed, more on a much slower one, which would need hours
 * else and be stopped before it has tested everything. The closing line of a run says so.
 */
export const shortening = slowness > usualSlowness ? slowness : 1;

/** A length of {@link atDepth} on a machine that needs a shortening. */
export function shortened(enough: number, full: number, by = shortening): number {
  return full <= enough ? full : Math.max(enough, Math.ceil(full / by));
}

/** How much a test does, such as the rounds of a loop: `enough` by default, up to `full` at full depth. */
export function atDepth(enough: number, full: number): number {
  return fullDepth ? shortened(enough, full) : enough;
}

/** Declares a test that runs at full depth; by default it counts as skipped. */
export function itAtFullDepth(title: string, test: Mocha.AsyncFunc): void {
  it(title, fullDepth ? test : undefined);
}
