import { expect } from 'chai';
import { createLogger } from '../../../src/logger.js';
import { startHousekeeping } from '../../../src/services/maintenance/schedule.js';
import { useHarness } from '../../support/harness.js';
import { until } from '../../support/until.js';

describe('The check of the clock', () => {
  const harness = useHarness();

  /** Returns the log lines about the clock of an instance with a wrong clock, after two runs of housekeeping. */
  async function warnings(offMs: number): Promise<string[]> {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
    let runs = 0;
    const context = {
      ...harness.context,
      tokens: harness.context.tokens,
      logger,
      now: () => new Date(Date.now() + offMs),
      databaseNow() {
        runs += 1;
        return harness.context.databaseNow();
      },
    };
    const housekeeping = startHousekeeping(context, 5);
    await until(() => Promise.resolve(runs >= 6));
    await housekeeping.close();
    return lines.filter((line) => line.includes('clock'));
  }

  it('warns of a difference from the database at the start and again at each interval', async () => {
    for (const [offMs, words] of [
      [-3_600_000, /clock of this machine is 3[56]\d\d s behind the database's clock/],
      [3_600_000, /clock of this machine is 3[56]\d\d s ahead of the database's clock/],
    ] as const) {
      const lines = await warnings(offMs);
      expect(lines.length).to.be.at.least(2);
      expect(lines[0]).to.match(words);
    }
  });

  it('accepts a difference of less than half a minute', async () => {
    for (const offMs of [-20_000, 20_000]) expect(await warnings(offMs)).to.deep.equal([]);
  });
});
