import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Load, LoadResult, Request } from '../../test/faults/load-generator.js';
import { figure, remark, verdict, wholeNumber } from '../figures.js';
import { rounds, scale } from '../options.js';
import { median } from '../statistics.js';
import { type Candidate, cpuSeconds, peakMemory } from './candidates.js';

const generator = fileURLToPath(new URL('../../test/faults/load-generator.ts', import.meta.url));

/** Time limit of rounds that end after a number of requests, in milliseconds. */
export const roundTimeoutMs = 300_000;

/**
 * Returns the load of one round: five seconds, or at a small scale a few requests of a few clients, however long they
 * take.
 * @param count number of requests instead of five seconds, for requests that change rows
 */
export function closedLoop(clients: number, count?: number): Pick<Load, 'clients' | 'durationMs' | 'count'> {
  if (scale < 1) return { clients: Math.min(clients, 5), durationMs: roundTimeoutMs, count: 40 };
  return count === undefined ? { clients, durationMs: 5000 } : { clients, durationMs: roundTimeoutMs, count };
}

/** Load of a round. The `requests` are sent in turn, repeatedly. */
export type RoundLoad = Pick<Load, 'clients' | 'rate' | 'durationMs' | 'count'> & { requests: readonly Request[] };

export interface Round extends LoadResult {
  perSecond: number;
  /** Processor time per request. */
  cpuMicros: number;
}

/**
 * Sends requests to a server from a separate process.
 * @param folder for the file that passes the requests
 * @throws Error if a request fails
 */
export async function round(candidate: Candidate, { requests, ...load }: RoundLoad, folder: string): Promise<Round> {
  const file = path.join(folder, `requests-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(requests));
  const before = cpuSeconds(candidate);
  const wanted: Load = { ...load, requestsFile: file, port: candidate.port };
  const sender = spawn(process.execPath, ['--import', 'tsx', generator, JSON.stringify(wanted)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const result = JSON.parse(await text(sender.stdout)) as LoadResult;
  // An open loop continues if the machine is too busy for its rate, and so does a run that judges nothing.
  const shed = load.rate === undefined && scale >= 1 ? result.shed : 0;
  if (result.good === 0 || result.other > 0 || shed > 0)
    throw new Error(`Not all requests were answered with success: ${JSON.stringify(result)}`);
  const cpu = cpuSeconds(candidate) - before;
  return { ...result, perSecond: result.good / result.seconds, cpuMicros: (cpu * 1e6) / result.good };
}

export interface ComparedServers {
  service: Candidate;
  yardstick: Candidate;
}

function printResult(
  name: string,
  all: readonly Round[],
  candidate: Candidate,
  ratio?: { ratio: number; than: string },
): void {
  const of = (key: 'perSecond' | 'p50' | 'p99' | 'cpuMicros') => median(all.map((one) => one[key]));
  const peakMiB = peakMemory(candidate);
  remark(
    `${name}: ${wholeNumber(of('perSecond'))} requests/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${wholeNumber(of('cpuMicros'))} µs of CPU a request, peak ${wholeNumber(peakMiB)} MiB`,
  );
  figure(name, {
    median: of('perSecond'),
    unit: '/s',
    ...ratio,
    p50Ms: of('p50'),
    p99Ms: of('p99'),
    cpuSeconds: of('cpuMicros') / 1000,
    peakMiB,
  });
}

interface Judgement {
  /** Minimum ratio to the yardstick's rate. */
  goal?: number;
  /** Name of the yardstick. */
  than?: string;
}

/**
 * Compares the service with its yardstick. Their rounds alternate, so that other load affects both. The first candidate
 * rotates.
 * @param sent returns the load of a round, called for every round, because some requests can be sent only once
 */
export async function compare(
  name: string,
  { service, yardstick }: ComparedServers,
  folder: string,
  sent: (candidate: Candidate) => RoundLoad,
  { goal, than = 'plain Express and SQL' }: Judgement = {},
): Promise<void> {
  const results = new Map<Candidate, Round[]>([
    [service, []],
    [yardstick, []],
  ]);
  // The first round lets the compiler optimise.
  for (let number = 0; number <= rounds; number += 1)
    for (const candidate of number % 2 === 0 ? [service, yardstick] : [yardstick, service]) {
      const result = await round(candidate, sent(candidate), folder);
      if (number > 0) results.get(candidate)?.push(result);
    }
  const [ours, plains] = [results.get(service) ?? [], results.get(yardstick) ?? []];
  const ratios = ours
    .map(({ perSecond }, index) => perSecond / (plains[index]?.perSecond ?? Number.NaN))
    .sort((one, other) => one - other);
  const spread = `rounds ${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
  const ratio = median(ratios);
  const measured = `${ratio.toFixed(2)} times the requests a second of ${than} (${spread})`;
  const title = `${name}, ${sent(service).clients} connections`;
  if (goal === undefined) remark(`${title}: ${measured}`);
  else verdict(title, `${measured}, goal ${goal}`, ratio >= goal);
  printResult(`${name}: the service`, ours, service, { ratio, than });
  printResult(`${name}: ${than}`, plains, yardstick);
}
