import fc from 'fast-check';
import { loadConfig } from '../../src/config/config.js';
import { createApp } from '../../src/http/server/app.js';
import { type Context, createContext } from '../../src/services/context.js';
import { atDepth, fullDepth } from '../support/depth.js';
import { testEnvironment } from '../support/environment.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { serve } from './support/cast.js';
import { commands, compareWhole } from './support/programme/commands.js';
import { Service } from './support/programme/service.js';
import { createProgramme, initialState, restore } from './support/programme/world.js';

/** FC_SEED repeats the runs of a seed, FC_RUNS sets their number. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.FC_RUNS ?? atDepth(100, 2000));

for (const instances of [1, 2])
  describe(`The programme, of ${instances} ${instances === 1 ? 'instance' : 'instances'}`, () => {
    const harness = useHarness();
    const servers: Awaited<ReturnType<typeof serve>>[] = [];
    let second: Context | undefined;
    let service: Service;
    before(async () => {
      servers.push(await serve(harness.app));
      if (instances === 2) {
        const { config, hasher, logger, now } = harness.context;
        const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: config.dataDir };
        second = await createContext(loadConfig({ env, cwd: config.dataDir }), logger, { hasher, now });
        servers.push(await serve(createApp(second)));
      }
      service = new Service(
        harness,
        servers.map(({ url }) => url),
      );
    });
    after(async () => {
      service.close();
      for (const server of servers) await server.close();
      await second?.close();
    });

    it('behaves like its model for any requests', async () => {
      const { context } = harness;
      const property = fc.asyncProperty(initialState, commands, async (given, asked) => {
        const programme = await createProgramme(context, given);
        await fc.asyncModelRun(() => ({ model: programme, real: service }), asked);
        await restore(context, programme);
        await compareWhole(programme, service);
      });
      const outcome = await fc.check(property, { seed, numRuns: Math.ceil(runs / instances) });
      if (outcome.failed)
        throw new Error(`With FC_SEED=${seed}:\n${await fc.asyncDefaultReportMessage(outcome)}`, {
          cause: outcome.errorInstance,
        });
    }).timeout(scaled(fullDepth ? 600_000 : 120_000));
  });
