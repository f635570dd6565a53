import { availableParallelism } from 'node:os';
import { json, rounds, scale } from './options.js';
import { median } from './statistics.js';

/** A count, reduced by the scale, but not below `least`. */
export const sized = (count: number, least: number) => Math.max(least, Math.round(count * scale));

/** What was measured of one thing, with what applies to it. `npm run bench -- --json` prints these names. */
export interface Figures {
  /** The median over the rounds, in `unit`. */
  median?: number;
  unit?: 'ms' | '/s' | 'MiB';
  /** Multiple of the yardstick's figure, the median of the comparisons within each round; `than` names the yardstick. */
  ratio?: number;
  than?: string;
  /** How long a request takes for its client. */
  p50Ms?: number;
  p99Ms?: number;
  /** Processor time of the measured process: of a command's whole run, or of 1,000 requests. */
  cpuSeconds?: number;
  /** The most memory that the process has had. */
  peakMiB?: number;
}

/** A figure of a suite; one that has a limit says what came of it, in words too. */
interface Entry extends Figures {
  suite: string;
  name: string;
  text?: string;
  /** Nothing is judged at a small scale. */
  limit?: 'kept' | 'missed' | 'not judged';
}

const entries: Entry[] = [];
let suite = '';

/** Prints for people; with `--json` on standard error, which leaves standard output to the figures. */
const say = (text: string) => (json ? console.error(text) : console.log(text));

/** Adds a figure to the table of its suite. */
export function figure(name: string, figures: Figures): void {
  entries.push({ suite, name, ...figures });
}

/** Prints a figure and whether it is within its limit; a small scale has no limits. */
export function verdict(name: string, text: string, kept: boolean, figures: Figures = {}): void {
  if (!kept && scale >= 1) process.exitCode = 1;
  const limit = kept ? 'kept' : scale >= 1 ? 'missed' : 'not judged';
  entries.push({ suite, name, ...figures, text, limit });
  say(`${kept ? 'ok  ' : scale >= 1 ? 'MISS' : 'n/a '} ${name}: ${text}`);
}

/** Prints the ratio of times over all rounds; a wide spread means that the machine had other load. */
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

/** Prints what has no limit and is no figure of the table. */
export const remark = (text: string) => say(`     ${text}`);

/** Three significant digits, or whole numbers. */
const short = (value: number) => (value >= 100 ? wholeNumber(value) : value.toPrecision(3));

/** The columns of a suite's table; those that no figure has are left out. */
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

/** Runs a suite, and prints the table of its figures. */
export async function runSuite(name: string, run: () => Promise<unknown>): Promise<void> {
  suite = name;
  say(`\n# ${name}`);
  await run();
  printTable(entries.filter((entry) => entry.suite === name && Object.values(columns).some((cell) => cell(entry))));
}

/** Prints the figures of all suites on standard output, where `--json` asks for it. */
export function printJson(): void {
  if (!json) return;
  const machine = { node: process.version, platform: process.platform, cores: availableParallelism() };
  console.log(JSON.stringify({ ...machine, scale, rounds, figures: entries }, null, 2));
}

export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const wholeNumber = (value: number) => Math.round(value).toLocaleString('en');

/** The duration of one request, in milliseconds. */
export interface Timing {
  /** From the request's arrival in the service to the end of the response; for plain SQL, the same as the client's. */
  serverMs: number;
  clientMs: number;
}

/** Medians of timings. */
const medians = (timings: readonly Timing[]): Timing => ({
  serverMs: median(timings.map(({ serverMs }) => serverMs)),
  clientMs: median(timings.map(({ clientMs }) => clientMs)),
});

type Probes = Readonly<Record<string, () => Promise<Timing>>>;

/** Requests before the measured ones, which fill caches and let the compiler optimise. */
const warmUp = 10;
const samples = 60;

/**
 * One round: the candidates alternate, so that other load affects them equally; the first one rotates.
 */
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

/** The timings after the warm-up; of a few slow ones all but the first. */
const withoutWarmUp = (timings: readonly Timing[]) => timings.slice(Math.min(warmUp, Math.ceil(timings.length / 4)));

/** The results of all rounds. */
export interface Measured {
  of(name: string): Timing;
  /** The time of `name` in the service divided by that of `other`, compared within each round; lowest first. */
  ratios(name: string, other: string): number[];
}

/** Measures candidates against each other, for the requested number of rounds. @param seconds the limit of a round */
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
