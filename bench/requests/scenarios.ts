import type { Request } from '../../test/faults/load-generator.js';
import { verdict, wholeNumber } from '../figures.js';
import { minutes } from '../options.js';
import { median } from '../statistics.js';
import { peakMemory, residentMemory } from './candidates.js';
import { closedLoop, compare, type RoundLoad, round, roundTimeoutMs } from './rounds.js';
import type { ProgrammeData, Stage } from './stages.js';

/** Connections, each with one request after the other. */
const clients = 50;
/** Fewer where each request changes rows: fifty would measure the waiting for the ten connections of the pool. */
const writers = 20;

/** The own profile: the least that a signed-in request costs. Its goal is a share of the yardstick's requests a second. */
export const me = (stage: Stage<string>) =>
  compare('me', stage, stage.folder, () => readLoad({ path: '/api/auth/me', tokens: [stage.data] }), { goal: 0.75 });

/** A request without database, beside the yardstick's `me`: what the service itself costs. */
export const healthz = (stage: Stage<string>) =>
  compare('healthz', stage, stage.folder, (candidate) => {
    const path = candidate === stage.service ? '/healthz' : '/api/auth/me';
    return readLoad({ path, tokens: [stage.data] });
  });

const readLoad = (request: Request): RoundLoad => ({ requests: [request], ...closedLoop(clients) });

/** The first page of a trainer's enrollments, with their count. */
export const listings = (stage: Stage<ProgrammeData>) =>
  compare('listings', stage, stage.folder, () => readLoad(stage.data.listing));

/** Trainees ask for a place, each in another course. */
export const enrolling = (stage: Stage<ProgrammeData>) =>
  compare('enrolling', stage, stage.folder, () => {
    const load = closedLoop(writers, 2000);
    return { requests: [stage.data.enrolling(load.count ?? 0)], ...load };
  });

/** Twenty requests as people send them: mostly reading, and one that enrolls. @param count how many are sent at most */
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

/** The mixture, as fast as it is answered. */
export const mixed = (stage: Stage<ProgrammeData>) =>
  compare('mixed', stage, stage.folder, () => mixedLoad(stage.data));

/** The limits of a process under half the load that it can carry. */
const maxMiB = 160;
/** What the rhythm of the garbage collector makes of a constant size. */
const maxGrowth = 0.03;

/**
 * The memory of the service while it answers half as many requests of the mixture as it can: after its first minute, it
 * doesn't grow, and in the last none of its processes has {@link maxMiB}.
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
  // Of shorter runs the first tenth.
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
