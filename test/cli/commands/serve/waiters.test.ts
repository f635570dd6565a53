import { expect } from 'chai';
import { createWaiters } from '../../../../src/cli/commands/serve/waiters.js';

describe('Waiters for the figures of a worker', () => {
  it('settle when the figures come, and none is kept', async () => {
    const waiters = createWaiters();
    for (let round = 0; round < 100; round += 1) {
      const reports = [waiters.wait(60_000), waiters.wait(60_000)];
      expect(waiters.count()).to.equal(2);
      waiters.release();
      await Promise.all(reports);
      expect(waiters.count()).to.equal(0);
    }
  });

  it('settle when the figures do not come in time, and none is kept', async () => {
    const waiters = createWaiters();
    const reports = Array.from({ length: 100 }, () => waiters.wait(1));
    // Their timers don't keep the process running.
    const running = setTimeout(() => undefined, 60_000);
    await Promise.all(reports);
    clearTimeout(running);
    expect(waiters.count()).to.equal(0);
    waiters.release();
  });
});
