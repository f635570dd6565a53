/**
 * `npm run test:faults [-- R3 R6]`: checks each promise of docs/SECURITY.md and docs/OPERATIONS.md with repeatable faults
 * against the built program. Needs a mariadbd on the PATH.
 * Each run has its own process. Runs that measure performance run alone, the others in parallel. `--side-by-side` selects
 * only the latter, which may run beside the tests; `--alone` selects only the former.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { buildProgram } from '../support/built-program.js';
import { writeCounts } from '../support/counts.js';
import { failures, rows, type Verdict } from './report.js';

/** Runs by name. The parallel ones mostly wait; the longest one comes first. */
const runs: Record<string, () => Promise<{ run(): Promise<Verdict[]> }>> = {
  R10: () => import('./r10-races.js'),
  R1: () => import('./r1-login-storm.js'),
  R2: () => import('./r2-login-timing.js'),
  R3: () => import('./r3-proxy.js'),
  R4: () => import('./r4-crash.js'),
  R6: () => import('./r6-overload.js'),
  R11: () => import('./r11-costly.js'),
  R12: () => import('./r12-takeover.js'),
  R14: () => import('./r14-balancer.js'),
  R15: () => import('./r15-slow-sockets.js'),
  R17: () => import('./r17-mail.js'),
};

/** Runs that measure times under load or allow no refusals. Nothing else may use the processor meanwhile. */
const runsAlone = new Set(['R1', 'R2', 'R3', 'R6', 'R11', 'R14']);

async function runOnce(name: string): Promise<Verdict[]> {
  const module = await runs[name]?.();
  const own = (await module?.run()) ?? [];
  if (own.length === 0) throw new Error('The run returned no verdicts.');
  return own.map((verdict) => ({ ...verdict, run: name }));
}

/** Maximum attempts of a run that fails only because of times: other programs may keep the machine busy. */
const maxTries = 3;

async function repeatUntilTimesAreKept(name: string): Promise<Verdict[]> {
  for (let tries = 1; ; tries += 1) {
    const verdicts = await runOnce(name);
    const broken = verdicts.filter(({ kept }) => kept === false);
    const onlyTimes = broken.length > 0 && broken.every(({ timed }) => timed);
    if (!onlyTimes || tries === maxTries) return verdicts;
    console.log(`${rows(broken)}\nOnly timing failed: ${name} is repeated.`);
  }
}

/**
 * Executes one run in this process.
 * @returns its verdicts; a broken verdict if the run fails
 */
async function runHere(name: string): Promise<Verdict[]> {
  try {
    return await repeatUntilTimesAreKept(name);
  } catch (error) {
    console.error(error);
    return [{ run: name, promised: 'the run goes through', measured: String(error), kept: false }];
  }
}

/** Executes one run in a separate process, and prints its output at the end. */
async function runInProcess(name: string, folder: string): Promise<Verdict[]> {
  const startedAt = performance.now();
  const file = path.join(folder, `${name}.json`);
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), '--verdicts', file, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`\n=== ${name} ===\n${output}${name}: ${seconds} s`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Verdict[];
  } catch (error) {
    const measured = `exit code ${exitCode}, ${String(error)}`;
    return [{ run: name, promised: 'the run goes through', measured, kept: false }];
  }
}

/** @param atOnce number of parallel runs */
async function runAll(names: readonly string[], atOnce: number): Promise<Verdict[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-faults-'));
  try {
    // Built once for all runs.
    if (process.env.TEST_BUILD === undefined) {
      const program = path.join(folder, 'program');
      await buildProgram(program);
      process.env.TEST_BUILD = program;
    }
    const limit = pLimit(atOnce);
    const sideBySide = names.filter((name) => !runsAlone.has(name));
    const found = await Promise.all(sideBySide.map((name) => limit(() => runInProcess(name, folder))));
    for (const name of names) if (runsAlone.has(name)) found.push(await runInProcess(name, folder));
    const number = ({ run = '' }: Verdict) => Number(run.slice(1));
    return found.flat().sort((one, other) => number(one) - number(other));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Prints the verdicts and their number, and writes the number for `test/run.ts`. */
function report(verdicts: readonly Verdict[]): boolean {
  console.log(`\n${rows(verdicts)}`);
  const notRun = verdicts.filter(({ kept }) => kept === 'not run');
  if (notRun.length > 0) {
    console.log(`\n${'!'.repeat(100)}`);
    for (const { run, promised, measured } of notRun) console.log(`!! NOT RUN: ${run}: ${promised}: ${measured}`);
    console.log('!'.repeat(100));
  }
  const failed = verdicts.filter(({ kept }) => kept === false).length;
  const passed = verdicts.length - failed - notRun.length;
  console.log(`\n${passed} passed, ${failed} failed`);
  writeCounts({ passed, failed, skipped: notRun.length, failures: failures(verdicts) });
  return failed === 0 && passed > 0;
}

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    'side-by-side': { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    // For the process of one run: the file for its verdicts.
    verdicts: { type: 'string' },
  },
});
if (options.verdicts !== undefined) {
  writeFileSync(options.verdicts, JSON.stringify(await runHere(wanted[0] ?? '')));
  // Exits explicitly: a run that failed at its start may have left servers, for which the process would wait.
  process.exit(0);
}

const unknown = wanted.filter((name) => !(name in runs));
if (unknown.length > 0) {
  console.error(`No such run: ${unknown.join(', ')}. There are ${Object.keys(runs).join(', ')}.`);
  process.exit(2);
}
const names = Object.keys(runs)
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .filter((name) => !options[runsAlone.has(name) ? 'side-by-side' : 'alone']);
const verdicts = await runAll(names, options['side-by-side'] ? 2 : 3);
process.exitCode = report(verdicts) ? 0 : 1;
