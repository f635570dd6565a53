import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './machine.js';

/**
 * Waits for something that comes by itself.
 * @param the message when it doesn't; the source of the condition when absent
 * @throws Error when it hasn't come within a minute, on a slow machine more
 */
export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const deadline = performance.now() + scaled(60_000);
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It never came to this: ${what}`);
    await sleep(10);
  }
}

/**
 * Waits for `event` while `work` goes on, which the test awaits later: until then nothing handles its rejection otherwise.
 * @throws what `work` fails with before; Error when it ends before
 */
export async function whileRunning<T>(work: Promise<unknown>, event: Promise<T>): Promise<T> {
  const early = work.then(() => {
    throw new Error('The work ended before what was to happen meanwhile.');
  });
  return Promise.race([event, early]);
}
