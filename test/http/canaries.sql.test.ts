import { expect } from 'chai';
import { createLogger } from '../../src/logger.js';
import { atDepth } from '../support/depth.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { overheard, plantSecrets, Watch } from './support/canaries.js';
import { faults, refuseWrites } from './support/canary-faults.js';
import { sendRefused } from './support/canary-refusals.js';
import { importCanaries, sendCanaries, uploadCanaries } from './support/canary-requests.js';
import { operations } from './support/examples.js';

describe('Secrets sent through the whole contract', function () {
  this.timeout(scaled(60_000));
  let watch = new Watch();
  /** Operations with the statuses that they answered. */
  const met = new Set<string>();
  const logger = createLogger('trace', { write: (line) => void watch.lines.push(line) });
  const harness = useHarness({}, logger);
  const reset = () => emptyDatabase(harness.context);
  beforeEach(() => {
    watch = new Watch();
  });

  it('are found by the test when they are leaked', async () => {
    let missed: string[] = ['all'];
    await overheard(watch, async () => {
      missed = await plantSecrets(harness.context, watch, reset);
    });
    expect(missed).to.deep.equal([]);
  });

  // By default each fault meets a part of the operations, all parts together all of them.
  const parts = atDepth(Object.keys(faults).length, 1);

  for (const [index, [name, { statuses, of }]] of Object.entries(faults).entries())
    it(`are in no answer, log line, row or file name: ${name}`, async () => {
      const fault = { name, ...of(harness.context) };
      const sample = { part: index % parts, of: parts };
      await overheard(watch, () => sendCanaries(harness.context, fault, watch, reset, sample));
      expect(watch.leaks).to.deep.equal([]);
      expect(watch.heard).to.be.at.least(watch.requests);
      const answered = Object.keys(watch.statuses);
      // Which statuses a part of the operations answers depends on which they are.
      if (parts === 1) expect(answered).to.include.members(statuses.map(String));
      else expect(answered).to.satisfy(() => statuses.some((status) => answered.includes(String(status))));
      for (const each of watch.met) met.add(each);
    });

  it('are in none when their request is refused', async () => {
    await overheard(watch, () => sendRefused(harness.context, watch, reset, atDepth(4, 1)));
    expect(watch.leaks).to.deep.equal([]);
    const statuses = ['400', '401', '403', '404', '405', '413', '415', '429'];
    expect(Object.keys(watch.statuses)).to.include.members(statuses);
  });

  it('are sent to every operation', () => {
    const never = operations.filter(([name]) => ![...met].some((each) => each.startsWith(`${name} `)));
    expect(never).to.deep.equal([]);
  });

  it('are in none when they come in a file, except where they are to be shown', async () => {
    await overheard(watch, () => importCanaries(harness.context, watch, reset));
    expect(watch.leaks).to.deep.equal([]);
  });

  it('are in none when they come in an upload, whatever becomes of it', async () => {
    const ends: string[] = [];
    const refuse = () => refuseWrites(harness.context, ['users']);
    await overheard(watch, async () => {
      for (const begin of [undefined, refuse]) ends.push(await uploadCanaries(harness.context, watch, reset, begin));
    });
    expect(watch.leaks).to.deep.equal([]);
    expect(ends).to.deep.equal(['completed', 'failed']);
  });
});
