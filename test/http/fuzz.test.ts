import { expect } from 'chai';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { atDepth } from '../support/depth.js';
import { useHarness } from '../support/harness.js';
import { keptLog } from '../support/kept-log.js';
import { patientPool, scaled } from '../support/machine.js';
import { fuzz } from './support/fuzzing.js';

describe('The whole API, met with generated requests', () => {
  const log = keptLog();
  // On a busy machine a request waits longer for a connection.
  const harness = useHarness({ PORT: '0', ...patientPool }, log.logger);
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  let server: RunningServer;
  before(async () => {
    server = await startServer(harness.context);
  });
  after(() => server.close());

  it('answers each as the contract declares, soon, and without a fault of its own', async function () {
    this.timeout(scaled(60_000));
    const requests = atDepth(400, 1000);
    const { sent, problems } = await fuzz(
      { context: harness.context, url: server.url, takeLog: log.take },
      { requests, seed },
    );
    expect(problems.join('\n'), `with FUZZ_SEED=${seed}`).to.equal('');
    expect(sent).to.equal(requests);
  });
});
