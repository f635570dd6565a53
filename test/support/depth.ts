import { processorSlowness } from './machine.js';

/**
 * Whether long loops run in full: `TEST_DEPTH=full`, which `.ci/run` sets. By default they do enough to catch a broken
 * build.
 */
export const fullDepth = process.env.TEST_DEPTH === 'full';

/** Up to here a machine counts as one of usual speed. */
const usualSlowness = 1.4;

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
 * By how much loops are shortened at full depth: 1 on a machine of usual speed. On a slower one they take about as long as
 * there: a run that exceeds its time limit is stopped, and tests nothing. The closing line of a run names the factor.
 */
export const shortening = Math.max(1, Number((slowness / usualSlowness).toFixed(2)));

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
