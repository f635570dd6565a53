import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './machine.js';

/**
 * Waits until a condition holds.
 * @param what message if the condition never holds; by default the source of the condition
 * @throws Error after a minute, or later on a slow machine
 */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const deadline = performance.now() + scaled(60_000);
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`This condition never held: ${what}`);
    await sleep(10);
  }
}

/**
 * Waits for `event` while `work` runs. The test awaits `work` later; until then, its rejection is handled here.
 * @throws the error of `work`; Error if `work` ends before `event`
 */
export async function whileRunning<T>(work: Promise<unknown>, event: Promise<T>): Promise<T> {
  const early = work.then(() => {
    throw new Error('The work ended before the expected event.');
  });
  return Promise.race([event, early]);
}
