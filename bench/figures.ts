import { availableParallelism } from 'node:os';
import { json, rounds, scale } from './options.js';
import { median } from './statistics.js';

/** Returns a count reduced by the scale, but at least `least`. */
export const sized = (count: number, least: number) => Math.max(least, Math.round(count * scale));

/** Measured figures; each is optional. `npm run bench -- --json` prints these names. */
export interface Figures {
  /** Median over the rounds, in `unit`. */
  median?: number;
  unit?: 'ms' | '/s' | 'MiB';
  /** Multiple of the yardstick's figure: the median of the comparisons within each round. `than` names the yardstick. */
  ratio?: number;
  than?: string;
  /** Request duration for the client. */
  p50Ms?: number;
  p99Ms?: number;
  /** Processor time of the measured process: for a command's whole run, or for 1,000 requests. */
  cpuSeconds?: number;
  peakMiB?: number;
}

/** A figure of a suite. With a limit, it has a verdict and a text. */
interface Entry extends Figures {
  suite: string;
  name: string;
  text?: string;
  /** 'not judged' at a small scale. */
  limit?: 'kept' | 'missed' | 'not judged';
}

const entries: Entry[] = [];
let suite = '';

/** Prints text for people. With `--json` it goes to standard error, and only the figures go to standard output. */
const say = (text: string) => (json ? console.error(text) : console.log(text));

export function figure(name: string, figures: Figures): void {
  entries.push({ suite, name, ...figures });
}

/** Prints a figure and whether it is within its limit. A small scale has no limits. */
export function verdict(name: string, text: string, kept: boolean, figures: Figures = {}): void {
  if (!kept && scale >= 1) process.exitCode = 1;
  const limit = kept ? 'kept' : scale >= 1 ? 'missed' : 'not judged';
  entries.push({ suite, name, ...figures, text, limit });
  say(`${kept ? 'ok  ' : scale >= 1 ? 'MISS' : 'n/a '} ${name}: ${text}`);
}

/** Prints the ratio of times over all rounds. A wide spread means that the machine had other load. */
export function ratioVerdict(
  name: string,
  text: string,
  ratios: readonly number[],
  than: string,
  limit: number,
  figures: Figures = {},
): void {
  const [ratio, lowest, highest] = [median(ratios), ratios[0], ratios.at(-1)].map((value) => value?.toFixed(2));
  const spread = ratios.length > 1 ? `, rounds ${lowest} to ${highest}` : '';
  const kept = median(ratios) <= limit;
  verdict(name, `${text}, ${ratio} times ${than} (limit ${limit}${spread})`, kept, {
    ...figures,
    ratio: median(ratios),
    than,
  });
}

/** Prints a remark outside of the table. */
export const remark = (text: string) => say(`     ${text}`);

/** Formats a number with three significant digits, or as a whole number. */
const short = (value: number) => (value >= 100 ? wholeNumber(value) : value.toPrecision(3));

/** Columns of a suite's table. Empty columns are left out. */
const columns: Record<string, (figures: Figures) => string | undefined> = {
  median: ({ median: value, unit = '' }) =>
    value === undefined ? undefined : `${short(value)}${unit === '/s' ? unit : ` ${unit}`}`,
  ratio: ({ ratio, than }) => (ratio === undefined ? undefined : `${ratio.toFixed(2)} of ${than ?? 'the yardstick'}`),
  p50: ({ p50Ms }) => (p50Ms === undefined ? undefined : `${short(p50Ms)} ms`),
  p99: ({ p99Ms }) => (p99Ms === undefined ? undefined : `${short(p99Ms)} ms`),
  'CPU s': ({ cpuSeconds }) => cpuSeconds?.toFixed(3),
  'peak memory': ({ peakMiB }) => (peakMiB === undefined ? undefined : `${short(peakMiB)} MiB`),
};

function printTable(rows: readonly Entry[]): void {
  const used = Object.entries(columns).filter(([, cell]) => rows.some((row) => cell(row) !== undefined));
  if (used.length === 0) return;
  const table = [
    ['', ...used.map(([title]) => title)],
    ...rows.map((row) => [row.name, ...used.map(([, cell]) => cell(row) ?? '')]),
  ];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  say('');
  for (const [name = '', ...cells] of table)
    remark(
      [name.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))].join('  '),
    );
}

export async function runSuite(name: string, run: () => Promise<unknown>): Promise<void> {
  suite = name;
  say(`\n# ${name}`);
  await run();
  printTable(entries.filter((entry) => entry.suite === name && Object.values(columns).some((cell) => cell(entry))));
}

/** Prints the figures of all suites on standard output if `--json` is set. */
export function printJson(): void {
  if (!json) return;
  const machine = { node: process.version, platform: process.platform, cores: availableParallelism() };
  console.log(JSON.stringify({ ...machine, scale, rounds, figures: entries }, null, 2));
}

export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const wholeNumber = (value: number) => Math.round(value).toLocaleString('en');

export interface Timing {
  /** Milliseconds from the arrival of the request to the end of the response. For plain SQL equal to `clientMs`. */
  serverMs: number;
  clientMs: number;
}

const medians = (timings: readonly Timing[]): Timing => ({
  serverMs: median(timings.map(({ serverMs }) => serverMs)),
  clientMs: median(timings.map(({ clientMs }) => clientMs)),
});

type Probes = Readonly<Record<string, () => Promise<Timing>>>;

/** Unmeasured requests, which fill caches and let the compiler optimise. */
const warmUp = 10;
const samples = 60;

/** Runs one round. The candidates alternate, so that other load affects them equally. The first candidate rotates. */
async function runRound(probes: Probes, seconds: number): Promise<Map<string, Timing>> {
  const names = Object.keys(probes);
  const timings = new Map<string, Timing[]>(names.map((name) => [name, []]));
  const end = performance.now() + 1000 * seconds;
  for (let cycle = 0; cycle < warmUp + samples; cycle += 1) {
    const late = performance.now() > end;
    // Slow requests need no long warm-up.
    if (late && cycle > 2) break;
    const first = cycle % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const timing = await probes[name]?.();
      if (timing) timings.get(name)?.push(timing);
    }
  }
  return new Map(names.map((name) => [name, medians(withoutWarmUp(timings.get(name) ?? []))]));
}

/** Returns the timings after the warm-up. Of few slow timings, drops only the first quarter. */
const withoutWarmUp = (timings: readonly Timing[]) => timings.slice(Math.min(warmUp, Math.ceil(timings.length / 4)));

export interface Measured {
  of(name: string): Timing;
  /** Time of `name` in the service divided by that of `other`, within each round; lowest first. */
  ratios(name: string, other: string): number[];
}

/**
 * Measures candidates against each other, for the requested number of rounds.
 * @param seconds time limit of a round
 */
export async function measure(probes: Probes, seconds = 120): Promise<Measured> {
  const results: Map<string, Timing>[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await runRound(probes, seconds));
  const all = (name: string) => results.map((result) => result.get(name) ?? medians([]));
  return {
    of: (name) => medians(all(name)),
    ratios: (name, other) =>
      all(name)
        .map(({ serverMs }, round) => serverMs / (all(other)[round]?.serverMs ?? Number.NaN))
        .sort((a, b) => a - b),
  };
}
