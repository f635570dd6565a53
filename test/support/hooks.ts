import { closeSharedDatabase } from './harness.js';

export const mochaHooks = {
  async afterAll() {
    await closeSharedDatabase();
  },
};
