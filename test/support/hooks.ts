import './scratch-folder.js';
import type { Context, RootHookObject } from 'mocha';
import { watchFile } from './durations.js';
import { closeAll } from './last-test.js';

const durations = process.env.TEST_DURATIONS;
const watching = durations === undefined ? undefined : watchFile(durations);

/** Mocha runs root hooks once for each file where files run side by side. */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    watching?.begin(this.test?.parent?.suites[0]?.file);
  },
  async afterAll() {
    watching?.end();
    // Workers go on to the next file with the same database; `test/run.ts` removes all of them.
    if (process.env.TEST_WORKER === undefined) await closeAll();
  },
};
