import { expect } from 'chai';
import { createLogger } from '../../src/logger.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { importCanaries, overheard, sendCanaries, type Watch } from './canaries.js';
import { troubles } from './canary-troubles.js';

describe('Secrets sent through the whole contract', () => {
  const watch: Watch = { lines: [], heard: 0, leaks: [], requests: 0 };
  const logger = createLogger('trace', { write: (line) => void watch.lines.push(line) });
  const harness = useHarness({}, logger);
  const reset = () => emptyDatabase(harness.context);

  for (const name of ['all well', 'writes refused by the database', 'a table gone', 'a bug']) {
    it(`are in no answer, log line, row or file name: ${name}`, async function () {
      this.timeout(60_000);
      const trouble = troubles(harness.context).find((known) => known.name === name);
      if (!trouble) throw new Error(`There is no trouble called ${name}.`);
      await overheard(watch, () => sendCanaries(harness.context, trouble, watch, reset));
      expect(watch.leaks).to.deep.equal([]);
      expect(watch.heard).to.be.at.least(watch.requests);
    });
  }

  it('are in none when they come in a file, but in what is there to show them', async () => {
    await overheard(watch, () => importCanaries(harness.context, watch, reset));
    expect(watch.leaks).to.deep.equal([]);
  });
});
