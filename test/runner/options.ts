import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type DatabaseKind = 'sqlite' | 'mysql';

/** What a worker process is told at its start. */
export interface WorkerOptions {
  /** For each test. */
  timeoutMs: number;
  /** Only tests whose title contains this. */
  grep: string | undefined;
}

export interface RunOptions extends Pick<WorkerOptions, 'grep'> {
  /** Test files, relative to the repository; none for all. */
  files: string[];
  databases: DatabaseKind[];
  /** Worker processes for all databases together. */
  jobs: number;
  /** Print where the time went. */
  durations: boolean;
  /** The file that gets the title of every test, one a line. */
  titles: string | undefined;
}

export const usage = `npm test -- [options] [file ...]
  --db sqlite|mysql   only on this database
  --grep TEXT         only tests whose title contains TEXT
  --jobs N            worker processes in all (default: one a core for each database)
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
      jobs: { type: 'string' },
      grep: { type: 'string' },
      durations: { type: 'boolean', default: false },
      titles: { type: 'string' },
    },
  });
  const { db, grep, durations, titles } = values;
  if (db !== undefined && db !== 'sqlite' && db !== 'mysql') throw new Error('--db takes sqlite or mysql.');
  const databases: DatabaseKind[] = db ? [db] : ['sqlite', 'mysql'];
  const jobs = Number(values.jobs ?? availableParallelism() * databases.length);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs takes a whole number of at least 1.');
  return { files: positionals, databases, jobs, grep, durations, titles };
}
