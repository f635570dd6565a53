/**
 * Whether long loops run in full: `TEST_DEPTH=full`, as in the nightly run. By default they run long enough to catch a
 * broken build.
 */
export const fullDepth = process.env.TEST_DEPTH === 'full';

/** Returns the size of a test, such as the rounds of a loop: `enough` by default, `full` at full depth. */
export const atDepth = (enough: number, full: number): number => (fullDepth ? full : enough);

/** Declares a test that runs only at full depth. Otherwise it counts as skipped. */
export function itAtFullDepth(title: string, test: Mocha.AsyncFunc): void {
  it(title, fullDepth ? test : undefined);
}
