/**
 * Gives tests the folder of the run for their temporary files. Imported before anything else by what the workers load first:
 * tsx keeps what it has compiled in the folder that the environment names at the start, for later runs.
 */
const scratch = process.env.TEST_SCRATCH;
if (scratch !== undefined) process.env.TMPDIR = scratch;
