/**
 * `npm test`: linter, types, and tests on SQLite that need no database server, no browser and no build.
 * `npm run test:all`: also all other tests. The name of a test file determines its group: docs/TESTING.md.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildProgram } from './support/built-program.js';
import { type Counts, failure, noCounts, readCounts, sum, summaryLine, writeCounts } from './support/counts.js';
import { fullDepth } from './support/depth.js';
import type { FileDuration } from './support/hooks.js';
import { slownessNow } from './support/machine.js';
import { type Prepared, prepareServer, prepareSqlite } from './support/prepare.js';
import type { MochaCounts } from './support/reporter.js';
import { makeScratch } from './support/scratch.js';

const usage = `npm test [-- [options] [file ...]]   linter, types, and the tests that need nothing else
npm run test:all                    also the tests of the built program, on MySQL/MariaDB and of pages, the
                                    installed package, the container image and the fault runs
  --db sqlite|mysql   files on this database (default: sqlite)
  --grep TEXT         only tests whose title contains TEXT
  --jobs N            test files at once (default: one a core)
  --durations         print the durations by file
  --rest              with test:all: all that npm test leaves out
TEST_DEPTH=full       run long loops in full
Examples:
  npm test -- test/http/login.test.ts
  npm test -- --db mysql test/db/lease.sql.test.ts`;

const repository = fileURLToPath(new URL('../', import.meta.url));
const cores = availableParallelism();
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    db: { type: 'string', default: 'sqlite' },
    jobs: { type: 'string', default: String(cores) },
    grep: { type: 'string' },
    durations: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const testFiles = readdirSync(path.join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => path.posix.join('test', file))
  .sort();
const isPage = (file: string) => file.endsWith('.browser.test.ts');
const isProcess = (file: string) => file.endsWith('.process.test.ts');
const needsProgram = (file: string) => isPage(file) || isProcess(file);
const isForServers = (file: string) => file.includes('.sql.');

const disk = tmpdir();
const scratch = makeScratch();
const removeScratch = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
// Files of killed tests are removed with this folder.
process.env.TMPDIR = scratch;
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => {
    removeScratch();
    process.exit(exitCode);
  });

const build = path.join(scratch, 'program');
const durations = path.join(scratch, 'durations');
let runs = 0;

/** Runs a program. @returns its exit code, output and test counts */
async function run<T extends Counts>(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  quiet = false,
) {
  runs += 1;
  const countsFile = path.join(scratch, `counts-${runs}.json`);
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd: repository,
    env: { ...inherited, ...env, TEST_COUNTS_FILE: countsFile },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output, counts: readCounts<T>(countsFile) };
}

/** Runs a script of package.json that reports its own test counts. */
async function script(name: string, ...args: string[]): Promise<Counts> {
  const command = ['npm run', name, ...args].join(' ');
  console.log(`\n=== ${command} ===`);
  // Uses the disk, because images of containers and database clusters are large.
  const env = { TMPDIR: disk, TEST_BUILD: build };
  const { exitCode, counts } = await run('npm', ['run', '--silent', name, '--', ...args], env);
  if (counts === undefined || (exitCode !== 0 && counts.failed === 0))
    return sum([counts ?? noCounts, failure(`${command} ended with exit code ${exitCode}`)]);
  return counts;
}

/** Runs a script of package.json as one test; prints its output only when it fails. */
async function check(name: string): Promise<Counts> {
  const { exitCode, output } = await run('npm', ['run', '--silent', name], {}, true);
  console.log(exitCode === 0 ? `  ok      npm run ${name}` : `  not ok  npm run ${name}\n${output}`);
  return exitCode === 0 ? { ...noCounts, passed: 1 } : failure(`npm run ${name}`);
}

/** Runs test files. Runs up to five failed files again, one after the other; tests that then pass are reported as flaky. */
async function mocha(files: readonly string[], { env }: Prepared, jobs = Number(options.jobs)): Promise<Counts> {
  if (files.length === 0) return noCounts;
  const once = async (chosen: readonly string[], jobsNow: number): Promise<MochaCounts> => {
    const args = [
      'node_modules/mocha/bin/mocha.js',
      ...['--parallel', '--jobs', String(jobsNow), '--timeout', String(Math.ceil(20_000 * slowness))],
      ...['--reporter', './test/support/reporter.ts'],
      ...(options.grep === undefined ? [] : ['--fgrep', options.grep]),
      ...chosen,
    ];
    const { exitCode, counts } = await run<MochaCounts>(process.execPath, args, {
      ...env,
      ...(options.durations && { TEST_DURATIONS: durations }),
      ...(chosen.some(needsProgram) && { TEST_BUILD: build }),
    });
    const missing = options.grep === undefined ? chosen.filter((file) => !counts?.files.includes(file)) : [];
    const failures = [
      ...missing.map((file) => `${file} has no tests, or ended before them`),
      ...(exitCode !== 0 && counts?.failed === 0 ? [`mocha ended with exit code ${exitCode}`] : []),
    ];
    return {
      ...sum([counts ?? noCounts, ...failures.map(failure)]),
      files: [...chosen],
      failedFiles: [...(counts?.failedFiles ?? []), ...missing],
    };
  };
  const first = await once(files, jobs);
  const { failedFiles } = first;
  if (positionals.length > 0 || failedFiles.length === 0 || failedFiles.length > 5) return first;
  console.log('\nOnce more, one file after the other:');
  const second = await once(failedFiles, 1);
  if (second.failed > 0) return first;
  console.log(
    `\nFLAKY: these failed beside others and passed alone. Look for the race.\n${first.failures.join('\n')}\n`,
  );
  return { ...first, passed: first.passed + first.failed, failed: 0, failures: [] };
}

/** Reports that no database server is available. */
function withoutServer(): Counts {
  const text = 'NOT TESTED ON MySQL/MariaDB: no TEST_DATABASE_URL, and no mariadbd or mysqld on the PATH';
  console.error(`\n${'!'.repeat(100)}\n!! ${text}.\n${'!'.repeat(100)}`);
  return process.env.REQUIRE_MYSQL === '1' ? failure(text) : { ...noCounts, skipped: 1 };
}

async function onServer(files: readonly string[]): Promise<Counts> {
  const prepared = await prepareServer();
  if (!prepared) return withoutServer();
  try {
    // Runs twice as many jobs, because tests wait for the server.
    return await mocha(files, prepared, Number(options.jobs) * 2);
  } finally {
    await prepared.remove();
  }
}

/** Runs everything that `npm test` omits. Fault runs without load measurements run beside the tests, which often wait. */
async function rest(prepared: Prepared): Promise<Counts[]> {
  const counts: Counts[] = [];
  const [, beside] = await Promise.all([
    (async () => {
      counts.push(await onServer(testFiles.filter(isForServers)));
      const files = testFiles.filter(needsProgram);
      counts.push(await mocha(files, prepared, Number(options.jobs) * 2));
    })(),
    script('test:faults', '--side-by-side'),
  ]);
  counts.push(beside);
  const nightly = fullDepth ? ['test:effects'] : [];
  for (const name of ['test:package', 'test:container', ...nightly]) counts.push(await script(name));
  counts.push(await script('test:faults', '--alone'));
  return counts;
}

function printDurations(): void {
  const rows = existsSync(durations)
    ? readFileSync(durations, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as FileDuration)
    : [];
  const total = (of: keyof Omit<FileDuration, 'file'>) => rows.reduce((so, row) => so + row[of], 0);
  const all = { file: 'all files', wall: total('wall'), cpu: total('cpu'), children: total('children') };
  console.log('\nSeconds, processor seconds, and those of started programs, by file\n');
  for (const { file, ...times } of [...rows.sort((a, b) => b.wall - a.wall), all])
    console.log(
      `${Object.values(times)
        .map((milliseconds) => (milliseconds / 1000).toFixed(1).padStart(9))
        .join('')}  ${path.relative(repository, file) || file}`,
    );
}

async function main(): Promise<Counts> {
  const chosen = positionals.map((file) => path.posix.normalize(file));
  const unknown = chosen.filter((file) => !testFiles.includes(file));
  if (unknown.length > 0) throw new Error(`No such test file: ${unknown.join(', ')}`);
  if (options.db !== 'sqlite' && options.db !== 'mysql') throw new Error('--db takes sqlite or mysql.');
  if (options.all || chosen.some(needsProgram)) await buildProgram(build);
  if (chosen.length > 0 && options.db === 'mysql') return onServer(chosen);
  const prepared = await prepareSqlite();
  if (chosen.length > 0) return mocha(chosen, prepared);
  const own = options.rest
    ? []
    : await Promise.all([
        mocha(
          testFiles.filter((file) => !needsProgram(file)),
          prepared,
        ),
        check('lint'),
        check('types'),
      ]);
  return sum([...own, ...(options.all ? await rest(prepared) : [])]);
}

// Programs, browsers and fault runs share the cores with the tests.
const slowness = Math.min(slownessNow(), slownessNow(), slownessNow()) * (options.all ? 4 : 2);
process.env.TEST_SLOWNESS = slowness.toFixed(2);

if (options.help) console.log(usage);
else
  try {
    const counts = sum([await main(), readCounts(process.env.TEST_COUNTS_FILE ?? '') ?? noCounts]);
    if (options.durations) printDurations();
    for (const text of counts.failures) console.log(`\nFAILED  ${text}`);
    writeCounts(counts);
    console.log(`\n${summaryLine(counts)}`);
    process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  } catch (error) {
    console.error(error);
    process.exitCode = 2;
  } finally {
    removeScratch();
  }
