const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** The spec reporter, which also leaves its counts in the file that COURSECTL_TEST_COUNTS names, for test/run.ts to add up. */
module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.COURSECTL_TEST_COUNTS;
    if (!file) return;
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
};
