import fc from 'fast-check';
import { atDepth, fullDepth } from '../support/depth.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { serve } from './support/cast.js';
import { commands, compareWhole } from './support/programme/commands.js';
import { Service } from './support/programme/service.js';
import { begin, beginning, restore } from './support/programme/world.js';

/** FC_SEED repeats the runs of a seed, FC_RUNS makes more or fewer of them. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.FC_RUNS ?? atDepth(160, 2000));

describe('The programme', () => {
  const harness = useHarness();
  let server: Awaited<ReturnType<typeof serve>>;
  let service: Service;
  before(async () => {
    server = await serve(harness.app);
    service = new Service(harness, server.url);
  });
  after(() => {
    service.close();
    return server.close();
  });

  it('does what its model does, whatever is asked of it', async () => {
    const { context } = harness;
    const property = fc.asyncProperty(beginning, commands, async (given, asked) => {
      const programme = await begin(context, given);
      await fc.asyncModelRun(() => ({ model: programme, real: service }), asked);
      await restore(context, programme);
      await compareWhole(programme, service);
    });
    const outcome = await fc.check(property, { seed, numRuns: runs });
    if (outcome.failed)
      throw new Error(`With FC_SEED=${seed}:\n${await fc.asyncDefaultReportMessage(outcome)}`, {
        cause: outcome.errorInstance,
      });
  }).timeout(scaled(fullDepth ? 600_000 : 120_000));
});
