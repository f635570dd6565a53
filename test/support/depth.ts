/**
 * Whether long loops run in full: `TEST_DEPTH=full`, which `.ci/run` sets. By default they do enough to catch a broken
 * build.
 */
export const fullDepth = process.env.TEST_DEPTH === 'full';

/** How often a loop runs: `enough` by default, `full` at full depth. */
export function atDepth(enough: number, full: number): number {
  return fullDepth ? full : enough;
}
