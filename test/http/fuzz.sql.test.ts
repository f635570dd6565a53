import { expect } from 'chai';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { createLogger } from '../../src/logger.js';
import { atDepth, fullDepth } from '../support/depth.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { relaxedPool, scaled } from '../support/machine.js';
import { operations } from './support/examples.js';
import { Fuzzing } from './support/fuzzing.js';

/** Operations that succeed only in a database without accounts. */
const needsEmpty: readonly string[] = ['setup', 'loadDemo'];

/** `FUZZ_SEED` repeats the requests of another run, `FUZZ_REQUESTS` sets their number. */
describe('The whole API with generated requests', () => {
  const log: string[] = [];
  const takeLog = () => log.splice(0).join('');
  const logger = createLogger('error', { write: (line) => void log.push(line) });
  // On a busy machine, requests wait longer for a connection.
  const harness = useHarness({ PORT: '0', ...relaxedPool }, logger);
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  const requests = Number(process.env.FUZZ_REQUESTS ?? atDepth(250, 20_000));
  let server: RunningServer;
  before(async () => {
    server = await startServer(harness.context, { deadlines: relaxedDeadlines });
  });
  after(() => server.close());

  it('responds as the contract declares, without an internal error', async function () {
    this.timeout(scaled(fullDepth ? 1_200_000 : 60_000));
    const all = operations.map(([name]) => name);
    const toSucceed = fullDepth ? all.filter((name) => !needsEmpty.includes(name)) : [];
    const fuzzing = new Fuzzing({ context: harness.context, url: server.url, takeLog });
    await fuzzing.run(requests, seed, toSucceed);
    const { sent, unread, met, succeeded, problems } = fuzzing;
    expect(problems.join('\n'), `with FUZZ_SEED=${seed}`).to.equal('');
    expect(sent).to.be.at.least(requests);
    // Nearly all requests reach the program, and each operation is sometimes refused and sometimes successful.
    expect(unread).to.be.below(sent / 10);
    expect(toSucceed.filter((name) => !succeeded.has(name))).to.deep.equal([]);
    if (fullDepth) expect(all.filter((name) => !met.has(name))).to.deep.equal([]);
  });
});
