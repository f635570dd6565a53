import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type DatabaseKind = 'sqlite' | 'mysql';

export interface RunOptions {
  /** Test files, relative to the repository; none for all. */
  files: string[];
  databases: DatabaseKind[];
  /** Worker processes for each database. */
  jobs: number;
  /** Only tests whose title contains this. */
  grep: string | undefined;
  /** Print where the time went. */
  durations: boolean;
  /** The file that gets the title of every test, one a line. */
  titles: string | undefined;
}

export const usage = `npm test -- [options] [file ...]
  --db sqlite|mysql   only on this database
  --grep TEXT         only tests whose title contains TEXT
  --jobs N            worker processes for each database (default: one a core)
  --durations         print where the time went, by file and by cause
  --titles FILE       write the title of every test into FILE
TEST_DEPTH=full       run long loops in full, as .ci/run does
Examples:
  npm test -- --db sqlite test/http/login.test.ts
  npm test -- --durations
  TEST_DEPTH=full npm test`;

/** @throws Error that says what is wrong with the arguments */
export function parseOptions(argv: readonly string[]): RunOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      db: { type: 'string' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      grep: { type: 'string' },
      durations: { type: 'boolean', default: false },
      titles: { type: 'string' },
    },
  });
  const { db, grep, durations, titles } = values;
  if (db !== undefined && db !== 'sqlite' && db !== 'mysql') throw new Error('--db takes sqlite or mysql.');
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs takes a whole number of at least 1.');
  return { files: positionals, databases: db ? [db] : ['sqlite', 'mysql'], jobs, grep, durations, titles };
}
