import { rounds, scale } from './options.js';

export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** A count, reduced by the scale, but not below `least`. */
export const sized = (count: number, least: number) => Math.max(least, Math.round(count * scale));

/** Prints a figure and whether it is within its limit; a small scale has no limits. */
export function verdict(name: string, figure: string, kept: boolean): void {
  if (!kept && scale >= 1) process.exitCode = 1;
  console.log(`${kept ? 'ok  ' : scale >= 1 ? 'MISS' : 'n/a '} ${name}: ${figure}`);
}

/** Prints the ratio of times over all rounds; a wide spread means that the machine had other load. */
export function ratioVerdict(
  name: string,
  figure: string,
  ratios: readonly number[],
  than: string,
  limit: number,
): void {
  const [ratio, lowest, highest] = [median(ratios), ratios[0], ratios.at(-1)].map((value) => value?.toFixed(2));
  const spread = ratios.length > 1 ? `, rounds ${lowest} to ${highest}` : '';
  verdict(name, `${figure}, ${ratio} times ${than} (limit ${limit}${spread})`, median(ratios) <= limit);
}

/** Prints a figure without a limit. */
export const remark = (text: string) => console.log(`     ${text}`);

export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const whole = (value: number) => Math.round(value).toLocaleString('en');

/** The duration of one request, in milliseconds. */
export interface Timing {
  /** From the request's arrival in the service to the end of the answer; for plain SQL, the same as the client's. */
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
async function inTurns(probes: Probes, seconds: number): Promise<Map<string, Timing>> {
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
  return new Map(names.map((name) => [name, medians(counted(timings.get(name) ?? []))]));
}

/** The timings after the warm-up; of a few slow ones all but the first. */
const counted = (timings: readonly Timing[]) => timings.slice(Math.min(warmUp, Math.ceil(timings.length / 4)));

/** The results of all rounds. */
export interface Measured {
  of(name: string): Timing;
  /** How many times as long `name` takes in the service as `other`, compared within each round; lowest first. */
  ratios(name: string, other: string): number[];
}

/** Measures candidates against each other, for the requested number of rounds. @param seconds the limit of a round */
export async function measured(probes: Probes, seconds = 120): Promise<Measured> {
  const results: Map<string, Timing>[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await inTurns(probes, seconds));
  const all = (name: string) => results.map((result) => result.get(name) ?? medians([]));
  return {
    of: (name) => medians(all(name)),
    ratios: (name, other) =>
      all(name)
        .map(({ serverMs }, round) => serverMs / (all(other)[round]?.serverMs ?? Number.NaN))
        .sort((a, b) => a - b),
  };
}
