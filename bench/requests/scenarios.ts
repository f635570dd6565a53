import type { Request } from '../../test/faults/load-generator.js';
import { verdict, wholeNumber } from '../figures.js';
import { minutes } from '../options.js';
import { median } from '../statistics.js';
import { peakMemory, residentMemory } from './candidates.js';
import { closedLoop, compare, type RoundLoad, round, roundTimeoutMs } from './rounds.js';
import type { ProgrammeData, Stage } from './stages.js';

/** Concurrent connections, each with one request at a time. */
const clients = 50;
/** Fewer connections for requests that change rows: fifty would measure the wait for the pool's ten connections. */
const writers = 20;

/** Requests the own profile, the cheapest signed-in request. The goal is a share of the yardstick's rate. */
export const me = (stage: Stage<string>) =>
  compare('me', stage, stage.folder, () => readLoad({ path: '/api/auth/me', tokens: [stage.data] }), { goal: 0.75 });

/** Requests without the database, compared with the yardstick's `me`: the cost of the service itself. */
export const healthz = (stage: Stage<string>) =>
  compare('healthz', stage, stage.folder, (candidate) => {
    const path = candidate === stage.service ? '/healthz' : '/api/auth/me';
    return readLoad({ path, tokens: [stage.data] });
  });

const readLoad = (request: Request): RoundLoad => ({ requests: [request], ...closedLoop(clients) });

/** Requests the first page of a trainer's enrollments, with their count. */
export const listings = (stage: Stage<ProgrammeData>) =>
  compare('listings', stage, stage.folder, () => readLoad(stage.data.listing));

/** Trainees request places, each pair of trainee and course once. */
export const enrolling = (stage: Stage<ProgrammeData>) =>
  compare('enrolling', stage, stage.folder, () => {
    const load = closedLoop(writers, 2000);
    return { requests: [stage.data.enrolling(load.count ?? 0)], ...load };
  });

/**
 * Returns twenty typical requests: nineteen reads and one enrollment.
 * @param count maximum number of sent requests
 */
function mixedRequests(
  { me: profile, listing, catalogue, enrolling: entering }: ProgrammeData,
  count: number,
): Request[] {
  const reads = [profile, listing, profile, catalogue, profile, listing, profile, catalogue, profile];
  return [...reads, ...reads, profile, entering(Math.ceil(count / 20))];
}

function mixedLoad(data: ProgrammeData): RoundLoad {
  const load = closedLoop(writers, 5000);
  return { requests: mixedRequests(data, load.count ?? 0), ...load };
}

/** Sends the mixture as fast as it is answered. */
export const mixed = (stage: Stage<ProgrammeData>) =>
  compare('mixed', stage, stage.folder, () => mixedLoad(stage.data));

/** Memory limit of a process under half its maximum load. */
const maxMiB = 160;
/** Tolerance for the garbage collector's variations. */
const maxGrowth = 0.03;

/**
 * Measures the memory of the service at half its maximum rate of the mixture. After the first minute the memory must not
 * grow, and no process may end above {@link maxMiB}.
 */
export async function memory(stage: Stage<ProgrammeData>): Promise<void> {
  const { service, data, folder } = stage;
  // The first round lets the compiler optimise.
  const capacities = [await round(service, mixedLoad(data), folder), await round(service, mixedLoad(data), folder)];
  const rate = Math.max(1, Math.floor((capacities[1]?.perSecond ?? 0) / 2));
  const durationMs = minutes * 60_000;
  const count = Math.ceil((rate * durationMs) / 1000);
  const sent: RoundLoad = {
    requests: mixedRequests(data, count),
    rate,
    count,
    durationMs: durationMs + roundTimeoutMs,
  };
  const samples: { atMs: number; mebibytes: number }[] = [];
  const startedAt = performance.now();
  const sample = () => samples.push({ atMs: performance.now() - startedAt, mebibytes: residentMemory(service) });
  const timer = setInterval(sample, Math.min(1000, durationMs / 100));
  const result = await round(service, sent, folder).finally(() => clearInterval(timer));
  sample();
  // In shorter runs, the first tenth.
  const settledMs = Math.min(60_000, durationMs / 10);
  const between = (from: number, to: number) =>
    samples.filter(({ atMs }) => atMs >= from && atMs <= to).map(({ mebibytes }) => mebibytes);
  const settled = median(between(settledMs, 2 * settledMs));
  const end = median(between(Math.min(durationMs - settledMs, samples.at(-1)?.atMs ?? 0), Number.POSITIVE_INFINITY));
  const growth = end / settled - 1;
  const most = Math.max(...between(settledMs, Number.POSITIVE_INFINITY));
  const peakMiB = peakMemory(service);
  verdict(
    'memory at half the capacity',
    `${settled.toFixed(0)} MiB after the first minute, ${end.toFixed(0)} MiB after ${minutes} (limit ${maxMiB}; ${(100 * growth).toFixed(1)} % more, limit ${100 * maxGrowth}) at ${wholeNumber(rate)} requests/s (${result.shed} refused), at most ${most.toFixed(0)} MiB a process, ${peakMiB.toFixed(0)} at the full capacity before`,
    growth <= maxGrowth && end < maxMiB,
    {
      median: end,
      unit: 'MiB',
      ratio: end / settled,
      than: 'after a minute',
      p50Ms: result.p50,
      p99Ms: result.p99,
      cpuSeconds: result.cpuMicros / 1000,
      peakMiB,
    },
  );
}
