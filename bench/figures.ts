import { scale } from './options.js';

export const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** So many at the full size, fewer at a smaller scale, never fewer than `least`. */
export const sized = (count: number, least: number) => Math.max(least, Math.round(count * scale));

/** Says a figure and whether it keeps its limit; at a small scale nothing is expected of it. */
export function verdict(name: string, figure: string, kept: boolean): void {
  if (!kept && scale >= 1) process.exitCode = 1;
  console.log(`${kept ? 'ok  ' : scale >= 1 ? 'MISS' : 'n/a '} ${name}: ${figure}`);
}

/** Says what has no limit. */
export const remark = (text: string) => console.log(`     ${text}`);

/** What one request took, in milliseconds. */
export interface Timing {
  /** From the request's arrival in the service to the end of the answer; for plain SQL, the same as the client's. */
  serverMs: number;
  clientMs: number;
}

/** The medians of many timings. */
export const medians = (timings: readonly Timing[]): Timing => ({
  serverMs: median(timings.map(({ serverMs }) => serverMs)),
  clientMs: median(timings.map(({ clientMs }) => clientMs)),
});

/** Requests before the first that counts: caches fill, and the just-in-time compiler has seen the code. */
const warmUp = 10;

/**
 * Measures several things in turns, so that whatever else the machine does hits all of them alike; who goes first changes
 * with each turn.
 * @param samples how many count of each; fewer when that takes longer than `secondsEach`
 * @returns their medians
 */
export async function inTurns<Name extends string>(
  probes: Readonly<Record<Name, () => Promise<Timing>>>,
  { samples = 60, secondsEach = 30 } = {},
): Promise<Record<Name, Timing>> {
  const names = Object.keys(probes) as Name[];
  const timings = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Timing[]>;
  const end = performance.now() + 1000 * secondsEach * names.length;
  for (let turn = -warmUp; turn < samples; turn += 1) {
    // Slow ones need no long warm-up to be slow.
    if (performance.now() > end && timings[names[0] as Name].length > 2) break;
    for (const [place] of names.entries()) {
      const name = names[(place + turn + warmUp) % names.length] as Name;
      const timing = await probes[name]();
      if (turn >= 0 || performance.now() > end) timings[name].push(timing);
    }
  }
  return Object.fromEntries(names.map((name) => [name, medians(timings[name])])) as Record<Name, Timing>;
}
