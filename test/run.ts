/**
 * `npm test`: linter, types and all tests, on SQLite and on MySQL/MariaDB at once, closed with one count; with
 * WITH_PACKAGE=1 also the installed package (`npm run test:package`), with WITH_CONTAINER=1 the container image
 * (`npm run test:container`), with WITH_FAULTS=1 the fault runs (`npm run test:faults`), whose promises are counted too. See
 * `--help`.
 *
 * The tests on MySQL use the server of TEST_DATABASE_URL, or a private one started from a `mariadbd` or `mysqld` on the
 * PATH. Without either they are left out, loudly; with REQUIRE_MYSQL=1 that is a failure.
 */
import { rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { checks, runCheck } from './runner/checks.js';
import { needsDatabase, needsProgram, testFiles } from './runner/files.js';
import type { LegTask } from './runner/leg.js';
import { type DatabaseKind, parseOptions, usage } from './runner/options.js';
import { filesToRepeat, type Unsteady, unsteadyNotice, withRepeated } from './runner/repeat.js';
import { type Counts, closingLine, failureList, printDurations, sum, writeTitles } from './runner/report.js';
import { type LegResult, runLeg, runScript } from './runner/run-leg.js';
import { makeScratch } from './runner/scratch.js';
import { prepareMysql, prepareSqlite } from './runner/templates.js';
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

/** Scripts that are run after the tests when they are asked for. */
const scripts = {
  'test:package': process.env.WITH_PACKAGE === '1',
  'test:container': process.env.WITH_CONTAINER === '1',
  'test:faults': process.env.WITH_FAULTS === '1',
};

async function main(): Promise<Counts> {
  const options = parseOptions(process.argv.slice(2));
  const all = testFiles();
  const files = options.files.length > 0 ? options.files.map((file) => path.normalize(file)) : all;
  const unknown = files.filter((file) => !all.includes(file));
  if (unknown.length > 0) throw new Error(`No such test file: ${unknown.join(', ')}`);

  // All workers of all databases share the cores, with the programs and browsers that they start.
  const processesPerCore = Math.max(1, (2 * options.jobs * options.databases.length) / availableParallelism());
  const slowness = Math.min(slownessNow(), slownessNow(), slownessNow()) * processesPerCore;
  process.env.TEST_SLOWNESS = slowness.toFixed(2);
  const durations = options.durations ? path.join(scratch, 'durations') : undefined;

  const whole = options.files.length === 0 && options.grep === undefined;
  const checking = whole ? Promise.all(checks.map(runCheck)) : Promise.resolve([]);
  const preparing: Record<DatabaseKind, () => ReturnType<typeof prepareSqlite>> = {
    sqlite: prepareSqlite,
    mysql: prepareMysql,
  };
  const build = path.join(scratch, 'program');
  const isBuilt = files.some(needsProgram);
  const [, ...legs] = await Promise.all([
    // The scripts need it as well, but they run with all files.
    isBuilt ? buildProgram(build) : undefined,
    ...options.databases.map(async (kind) => ({ kind, prepared: await preparing[kind]() })),
  ]);
  const shared = {
    TMPDIR: disk,
    TEST_SCRATCH: scratch,
    ...(isBuilt && { TEST_BUILD: build }),
    ...(durations !== undefined && { TEST_DURATIONS: durations }),
  };
  try {
    const runs = await Promise.all(
      legs.map(async ({ kind, prepared }, index) => {
        if (prepared === 'required')
          return { result: { passed: 0, failed: 1, skipped: 0, failures: [`no server for ${kind}`], files: [] } };
        if (prepared === 'left out') return { result: { passed: 0, failed: 0, skipped: 0, failures: [], files: [] } };
        const task: LegTask = {
          // What touches no database runs once, beside the first one.
          files: files.filter((file) => index === 0 || needsDatabase(file)),
          jobs: options.jobs,
          timeoutMs: Math.ceil(20_000 * slowness),
          grep: options.grep,
        };
        const run = (part: Partial<LegTask>) => runLeg(kind, { ...task, ...part }, { ...shared, ...prepared.env });
        return { result: await run({}), run };
      }),
    );
    const unsteady: Unsteady[] = [];
    const results: LegResult[] = [];
    for (const { result, run } of runs) {
      const again = whole && run ? filesToRepeat(result) : [];
      if (!run || again.length === 0) {
        results.push(result);
        continue;
      }
      console.log('\nOnce more, one file after the other:');
      const repeated = withRepeated(result, await run({ files: again, jobs: 1 }));
      unsteady.push(...repeated.unsteady);
      results.push(repeated.result);
    }
    if (unsteady.length > 0) console.log(`\n${unsteadyNotice(unsteady)}`);
    const counted: Counts[] = [...results, ...(await checking)];
    if (durations !== undefined) printDurations(durations);
    if (options.titles !== undefined) writeTitles(options.titles, results);
    for (const [name, wanted] of Object.entries(scripts))
      if (wanted && whole)
        // On the disk: images of containers and clusters of databases are large, and servers wait for disks.
        counted.push(await runScript(name, path.join(scratch, `${name.replace(':', '-')}.json`), shared));
    return sum(counted);
  } finally {
    for (const { prepared } of legs) if (typeof prepared === 'object') await prepared.remove();
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
