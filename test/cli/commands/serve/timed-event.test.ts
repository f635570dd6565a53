import { expect } from 'chai';
import { createTimedEvent } from '../../../../src/cli/commands/serve/timed-event.js';

describe('A timed event', () => {
  it('settles what waits for it when it comes, and keeps nothing', async () => {
    const event = createTimedEvent();
    for (let round = 0; round < 100; round += 1) {
      const reports = [event.wait(60_000), event.wait(60_000)];
      expect(event.count()).to.equal(2);
      event.release();
      await Promise.all(reports);
      expect(event.count()).to.equal(0);
    }
  });

  it('settles what waits for it when it does not come in time, and keeps nothing', async () => {
    const event = createTimedEvent();
    const reports = Array.from({ length: 100 }, () => event.wait(1));
    // Their timers don't keep the process running.
    const running = setTimeout(() => undefined, 60_000);
    await Promise.all(reports);
    clearTimeout(running);
    expect(event.count()).to.equal(0);
    event.release();
  });
});
