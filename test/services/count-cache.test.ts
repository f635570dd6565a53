import { expect } from 'chai';
import { cachedCounts } from '../../src/services/count-cache.js';
import { useHarness } from '../support/harness.js';

describe('Counts of the whole programme', () => {
  const harness = useHarness();

  it('are cached for 30 seconds if they are a million or more', async () => {
    const { database } = harness.context;
    let [time, rows] = [0, 999_999];
    const now = () => new Date(time);
    const counted = () =>
      cachedCounts(
        { database, now },
        'rows',
        async () => rows,
        (count) => count,
      );
    expect(await counted()).to.equal(999_999);
    rows = 1_000_000;
    expect(await counted()).to.equal(1_000_000);
    rows = 1_000_001;
    time = 29_999;
    expect(await counted()).to.equal(1_000_000);
    expect(
      await cachedCounts(
        { database, now },
        'others',
        async () => rows,
        (count) => count,
      ),
    ).to.equal(1_000_001);
    time = 30_000;
    expect(await counted()).to.equal(1_000_001);
    rows = 1_000_002;
    // The clock was set back.
    time = 0;
    expect(await counted()).to.equal(1_000_002);
    time = 30_000;
    rows = 5;
    expect(await counted()).to.equal(5);
    rows = 6;
    expect(await counted()).to.equal(6);
  });
});
