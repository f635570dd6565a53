/**
 * Measures how long an operator waits for the built program: `npm run bench -- startup`. Cases (`--only`), compared with
 * `node -e 0`: help (`--help`, 5 pairs a round), list (`users list`, by processor time), tab (the Tab key on a name, by
 * processor time). Case serve: from the start to a 200 of `/readyz` on SQLite, 3 starts a round. Also shows processor
 * time, which other load doesn't affect. It is read from /proc: Linux only.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { figure, ratioVerdict, remark, sized, verdict } from './figures.js';
import { program, rounds, selected } from './options.js';
import { measureStart, type Start } from './start.js';
import { median } from './statistics.js';

/** Limits: multiple of the time of `node -e 0`, and milliseconds of a start. */
const maxTimes = 2;
const maxMs = 1200;
/** Limits of the processor time of commands that read the database, as a multiple of `node -e 0`. */
const maxTimesOfList = 5;
const maxTimesOfTab = 4;

/** Returns the processor time of all ended child processes, in seconds: 100 ticks of the kernel's clock are one. */
function spentByChildren(): number {
  const [, fields = ''] = readFileSync('/proc/self/stat', 'latin1').split(') ');
  const [user = Number.NaN, system = Number.NaN] = fields.split(' ').slice(13, 15).map(Number);
  return (user + system) / 100;
}

interface CommandRun {
  ms: number;
  cpuSeconds: number;
}

function runTimed(argv: string[], env = process.env): CommandRun {
  const [spentBefore, startedAt] = [spentByChildren(), performance.now()];
  const { status } = spawnSync(process.execPath, argv, { env, stdio: 'ignore' });
  const ms = performance.now() - startedAt;
  if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`);
  return { ms, cpuSeconds: spentByChildren() - spentBefore };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the median time, and the mean of processor times, because the kernel's clock counts in hundredths of a second.
 */
const summary = (runs: readonly CommandRun[]) => ({
  median: median(runs.map(({ ms }) => ms)),
  unit: 'ms' as const,
  cpuSeconds: mean(runs.map(({ cpuSeconds }) => cpuSeconds)),
});

async function help(): Promise<void> {
  const [bare, ours, ratios]: [CommandRun[], CommandRun[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const [these, those]: [CommandRun[], CommandRun[]] = [[], []];
    for (let pair = 0; pair < sized(5, 1); pair += 1) {
      these.push(runTimed(['-e', '0']));
      those.push(runTimed([program, '--help']));
    }
    ratios.push(summary(those).median / summary(these).median);
    bare.push(...these);
    ours.push(...those);
  }
  ratios.sort((one, other) => one - other);
  const { median: ms, cpuSeconds } = summary(ours);
  const cpu = `${(cpuSeconds / summary(bare).cpuSeconds).toFixed(2)} times its processor time`;
  ratioVerdict('coursectl --help', `${ms.toFixed(0)} ms, ${cpu}`, ratios, 'node -e 0', maxTimes, summary(ours));
  figure('node -e 0', summary(bare));
}

/**
 * Compares the processor time of a command on the demo programme with `node -e 0`. Sums up each round, because the clock
 * is coarse.
 */
function compareWithBareNode(name: string, words: readonly string[], limit: number): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: `sqlite:${path.join(folder, 'bench.db')}` };
  try {
    for (const preparing of [
      ['migrate', 'up'],
      ['seed', 'demo', '--yes'],
    ])
      runTimed([program, ...preparing], env);
    const [all, ratios]: [CommandRun[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const [bare, ours]: [CommandRun[], CommandRun[]] = [[], []];
      for (let pair = 0; pair < sized(10, 2); pair += 1) {
        bare.push(runTimed(['-e', '0']));
        ours.push(runTimed([program, ...words], env));
      }
      ratios.push(summary(ours).cpuSeconds / summary(bare).cpuSeconds);
      all.push(...ours);
    }
    ratios.sort((one, other) => one - other);
    const { cpuSeconds } = summary(all);
    ratioVerdict(
      name,
      `${(1000 * cpuSeconds).toFixed(0)} ms of the processor`,
      ratios,
      'node -e 0',
      limit,
      summary(all),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const list = () => compareWithBareNode('coursectl users list', ['users', 'list'], maxTimesOfList);
const tab = () => compareWithBareNode('Tab on a name', ['completion', 'fish', 'users', 'show', 'ad'], maxTimesOfTab);

const startAsRun = ({ readyMs, cpuSeconds }: Start): CommandRun => ({ ms: readyMs, cpuSeconds });

async function serve(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
  try {
    const first = startAsRun(await measureStart(folder, true));
    const later: CommandRun[] = [];
    for (let run = 0; run < rounds * sized(3, 1); run += 1) later.push(startAsRun(await measureStart(folder, true)));
    const figures = summary(later);
    const measured = `${figures.median.toFixed(0)} ms, ${figures.cpuSeconds.toFixed(2)} s of the processor (limit ${maxMs} ms)`;
    verdict('serve to /readyz on a migrated SQLite database', measured, figures.median < maxMs, figures);
    remark(`with all migrations ${first.ms.toFixed(0)} ms, ${first.cpuSeconds.toFixed(2)} s of the processor`);
    figure('serve to /readyz with all migrations', summary([first]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [, scenario] of selected({ help, list, tab, serve })) await scenario();
