/**
 * `npm test`: linter, types and all tests, on SQLite and on MySQL/MariaDB at once, closed with one count; with
 * WITH_PACKAGE=1 also the installed package (`npm run test:package`), with WITH_CONTAINER=1 the container image
 * (`npm run test:container`), with WITH_FAULTS=1 the fault runs (`npm run test:faults`), whose promises are counted too: those
 * that measure no load run beside the tests. See `--help`.
 *
 * The tests on MySQL use the server of TEST_DATABASE_URL, or a private one started from a `mariadbd` or `mysqld` on the
 * PATH. Without either they are left out, loudly; with REQUIRE_MYSQL=1 that is a failure.
 */
import { rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { concurrency as faultRuns } from './faults/schedule.js';
import { checks, runCheck } from './runner/checks.js';
import { needsDatabase, needsProgram, testFiles } from './runner/files.js';
import { type DatabaseKind, parseOptions, usage } from './runner/options.js';
import { type PoolOptions, WorkerPool } from './runner/pool.js';
import { type Flaky, filesToRepeat, flakyNotice, withRepeated } from './runner/repeat.js';
import { type Counts, closingLine, failureList, printDurations, sum, writeTitles } from './runner/report.js';
import { type LegResult, printResult } from './runner/result.js';
import { runScript } from './runner/run-script.js';
import { makeScratch } from './runner/scratch.js';
import { prepareMysql, prepareSqlite, type Unprepared } from './runner/templates.js';
import { buildProgram } from './support/built-program.js';
import { slownessNow } from './support/machine.js';

const disk = tmpdir();
const scratch = makeScratch();
const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
// Whatever a killed test leaves goes with the folder.
process.env.TMPDIR = scratch;
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => {
    removeScratch();
    process.exit(exitCode);
  });

const withFaults = process.env.WITH_FAULTS === '1';

/** Scripts that are run after the tests when they are asked for. */
const scripts = {
  'test:package': process.env.WITH_PACKAGE === '1',
  'test:container': process.env.WITH_CONTAINER === '1',
  'test:faults --alone': withFaults,
};

/** What comes of the tests on a database that can't be prepared. */
function withoutDatabase(kind: DatabaseKind, why: Unprepared): LegResult {
  const failures = why === 'required' ? [`no server for ${kind}`] : [];
  return { passed: 0, failed: failures.length, skipped: 0, failures, files: [] };
}

/** What came of the tests on a database, and the environment in which they can be repeated. */
interface Run {
  kind: DatabaseKind;
  result: LegResult;
  env?: Record<string, string>;
}

/** Runs the few files that failed once more, one after the other. */
async function repeatFailed(runs: readonly Run[], options: Omit<PoolOptions, 'jobs' | 'kinds'>): Promise<LegResult[]> {
  const flaky: Flaky[] = [];
  const results: LegResult[] = [];
  for (const { kind, env, result } of runs) {
    const files = filesToRepeat(result);
    if (!env || files.length === 0) {
      results.push(result);
      continue;
    }
    console.log('\nOnce more, one file after the other:');
    const pool = new WorkerPool({ ...options, jobs: 1, kinds: [kind] });
    const repeated = withRepeated(result, await pool.run({ kind, files, env }));
    flaky.push(...repeated.flaky);
    results.push(repeated.result);
  }
  if (flaky.length > 0) console.log(`\n${flakyNotice(flaky)}`);
  return results;
}

async function main(): Promise<Counts> {
  const options = parseOptions(process.argv.slice(2));
  const all = testFiles();
  const files = options.files.length > 0 ? options.files.map((file) => path.normalize(file)) : all;
  const unknown = files.filter((file) => !all.includes(file));
  if (unknown.length > 0) throw new Error(`No such test file: ${unknown.join(', ')}`);

  const whole = options.files.length === 0 && options.grep === undefined;
  const besideTests = whole && withFaults ? faultRuns.besideTests : 0;
  // All workers and fault runs share the cores, with the programs and browsers that they start.
  const processesPerCore = Math.max(1, (2 * (options.jobs + besideTests)) / availableParallelism());
  const slowness = Math.min(slownessNow(), slownessNow(), slownessNow()) * processesPerCore;
  process.env.TEST_SLOWNESS = slowness.toFixed(2);
  const durations = options.durations ? path.join(scratch, 'durations') : undefined;

  const checking = whole ? Promise.all(checks.map(runCheck)) : Promise.resolve([]);
  const build = path.join(scratch, 'program');
  const startProgram = new Set(files.filter(needsProgram));
  let isBuilt = false;
  const shared = {
    TMPDIR: disk,
    TEST_SCRATCH: scratch,
    ...(startProgram.size > 0 && { TEST_BUILD: build }),
    ...(durations !== undefined && { TEST_DURATIONS: durations }),
  };
  const poolOptions = { timeoutMs: Math.ceil(20_000 * slowness), grep: options.grep, report: printResult };
  const pool = new WorkerPool({
    ...poolOptions,
    jobs: options.jobs,
    kinds: options.databases,
    isReady: (file) => isBuilt || !startProgram.has(file),
  });
  const prepare: Record<DatabaseKind, typeof prepareSqlite> = { sqlite: prepareSqlite, mysql: prepareMysql };
  const preparing = options.databases.map((kind) => prepare[kind]());
  try {
    const running = options.databases.map(async (kind, index): Promise<Run> => {
      const prepared = await preparing[index];
      if (typeof prepared !== 'object') {
        pool.leaveOut(kind);
        return { kind, result: withoutDatabase(kind, prepared ?? 'required') };
      }
      const env = { ...shared, ...prepared.env };
      // What touches no database runs once, beside the first one.
      const own = files.filter((file) => index === 0 || needsDatabase(file));
      return { kind, env, result: await pool.run({ kind, files: own, env }) };
    });
    // On the disk: images of containers and clusters of databases are large, and servers wait for disks.
    const run = (script: string) =>
      runScript(script, path.join(scratch, `${script.replace(/\W+/g, '-')}.json`), shared);
    const building = startProgram.size > 0 ? buildProgram(build) : Promise.resolve();
    const [runs, beside] = await Promise.all([
      Promise.all(running),
      building.then(async () => {
        isBuilt = true;
        pool.wake();
        return besideTests > 0 ? [await run('test:faults --side-by-side')] : [];
      }),
    ]);
    const results = whole ? await repeatFailed(runs, poolOptions) : runs.map(({ result }) => result);
    const counted: Counts[] = [...results, ...(await checking), ...beside];
    if (durations !== undefined) printDurations(durations, results);
    if (options.titles !== undefined) writeTitles(options.titles, results);
    for (const [script, wanted] of Object.entries(scripts)) if (wanted && whole) counted.push(await run(script));
    return sum(counted);
  } finally {
    pool.close();
    for (const prepared of await Promise.allSettled(preparing))
      if (prepared.status === 'fulfilled' && typeof prepared.value === 'object') await prepared.value.remove();
  }
}

if (process.argv.includes('--help')) {
  console.log(usage);
} else {
  try {
    const counts = await main();
    if (counts.failures.length > 0) console.log(`\n${failureList(counts)}`);
    console.log(`\n${closingLine(counts)}`);
    process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  } catch (error) {
    console.error(error);
    process.exitCode = 2;
  } finally {
    removeScratch();
  }
}
