import fc from 'fast-check';
import { atDepth } from '../support/depth.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { serve } from './support/cast.js';
import { commands, compareWhole } from './support/programme/commands.js';
import { Service } from './support/programme/service.js';
import { beginning, World } from './support/programme/world.js';

/** FC_SEED repeats the runs of a seed, FC_RUNS makes more or fewer of them. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.FC_RUNS ?? atDepth(160, 2000));

/** Each part begins on an emptied database: so it stays small. */
const parts = [1, 2, 3, 4];

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

  for (const part of parts) {
    it(`does what its model does, whatever is asked of it (part ${part})`, async () => {
      const world = new World(harness.context);
      const property = fc.asyncProperty(beginning, commands, async (given, asked) => {
        const programme = await world.begin(given);
        await fc.asyncModelRun(() => ({ model: programme, real: service }), asked);
        await world.restore(programme);
        await compareWhole(programme, service);
      });
      const outcome = await fc.check(property, { seed: seed + part, numRuns: Math.ceil(runs / parts.length) });
      if (outcome.failed)
        throw new Error(`With FC_SEED=${seed}:\n${await fc.asyncDefaultReportMessage(outcome)}`, {
          cause: outcome.errorInstance,
        });
    }).timeout(scaled(120_000));
  }
});
