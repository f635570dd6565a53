import { setTimeout as sleep } from 'node:timers/promises';
import { scaledToProcessor } from '../support/machine.js';
import { generate, seconds, slowest, startClients, statuses } from './clients.js';
import type { Load, LoadResult } from './load-generator.js';
import type { Verdict } from './report.js';
import { createPeople, type Instance, openStage } from './stage.js';

/** Sends four times as many requests as the service can answer. */

/** Maximum wait of a refused request. */
const shedWithinMs = scaledToProcessor(5000);
/** Limit of requests after the flood. */
const calmP99Ms = scaledToProcessor(500);

const peakMs = 5000;
/** Durations of the floods. The first one is long. The median of three reduces the influence of other load. */
const floodsMs = [30_000, 20_000, 20_000];
const afterMs = 3000;

const perSecond = ({ good, seconds: time }: LoadResult) => good / time;

/** Sums up the results of several rounds. For durations, returns the worst. */
function sum(results: readonly LoadResult[]): LoadResult {
  return results.reduce((total, one) => ({
    good: total.good + one.good,
    shed: total.shed + one.shed,
    other: total.other + one.other,
    others: { ...total.others, ...one.others },
    unsent: total.unsent + one.unsent,
    oldest: Math.max(total.oldest, one.oldest),
    seconds: total.seconds + one.seconds,
    p50: Math.max(total.p50, one.p50),
    p99: Math.max(total.p99, one.p99),
  }));
}

/** A flood, and the peak before and after it for comparison. */
interface Round {
  peak: LoadResult;
  flood: LoadResult;
  /** Goodput of the flood as a share of the peak's. */
  share: number;
  /** Intended rate as a multiple of the peak. */
  wanted: number;
  /** Responses per second. */
  answered: number;
}

function compare(peak: LoadResult, flood: LoadResult): Round {
  const answered = (flood.good + flood.shed + flood.other) / flood.seconds;
  // Includes requests that had no free socket of the generator. They would have waited in the system's queue.
  const wanted = (answered + flood.unsent / flood.seconds) / perSecond(peak);
  return { peak, flood, share: perSecond(flood) / perSecond(peak), wanted, answered };
}

/** Returns the round with the median share, with the lowest intended rate of all rounds. */
function medianOf(rounds: readonly Round[]): Pick<Round, 'share' | 'wanted' | 'answered'> {
  const [middle] = [...rounds].sort((one, other) => one.share - other.share).slice(rounds.length >> 1);
  if (!middle) throw new Error('There was no flood.');
  return { ...middle, wanted: Math.min(...rounds.map(({ wanted }) => wanted)) };
}

async function overload({ url }: Instance, token: string, folder: string): Promise<Verdict[]> {
  const requests = ['/api/auth/me', '/api/users?limit=10'].map((path) => ({ path, tokens: [token] }));
  const send = (load: Pick<Load, 'clients' | 'rate' | 'durationMs'>) =>
    generate({ port: Number(new URL(url).port), ...load }, requests, folder);
  await send({ clients: 32, durationMs: 4000 });
  const probes = startClients(url, 1, () => ({ method: 'GET', path: '/healthz' }), 100);
  const measurePeak = () => send({ clients: 32, durationMs: peakMs });
  let before = await measurePeak();
  const rounds: Round[] = [];
  let after: LoadResult | undefined;
  const rate = Math.round(perSecond(before) / 2);
  for (const durationMs of floodsMs) {
    const flood = await send({ rate: Math.round(4 * perSecond(before)), durationMs });
    if (!after) {
      await probes.stop();
      await sleep(5000);
      after = await send({ rate, durationMs: afterMs });
    }
    // The peak is measured before and after each flood, so that other load on the machine affects both equally.
    const following = await measurePeak();
    rounds.push(compare(sum([before, following]), flood));
    before = following;
  }
  if (!after) throw new Error('There was no flood.');
  const text = ({ good, shed, other, others, oldest, p50, p99 }: LoadResult) =>
    `${good} good (p50 ${p50} ms, p99 ${p99} ms), ${shed} shed, ${other} other ${JSON.stringify(others)}, the oldest unanswered for ${oldest} ms`;
  for (const { peak, flood } of rounds) console.log(`peak: ${text(peak)}\nflood: ${text(flood)}`);
  const flood = sum(rounds.map((round) => round.flood));
  const peak = sum(rounds.map((round) => round.peak));
  const { share, wanted, answered } = medianOf(rounds);
  return [
    {
      promised: `at 4 times the peak for ${floodsMs.map((ms) => ms / 1000).join(', ')} s, goodput is at least 80 % of it`,
      measured: `${rounds.map((round) => (100 * round.share).toFixed(0)).join(', ')} % of ${perSecond(peak).toFixed(0)}/s, at ${wanted.toFixed(1)} times as many, ${answered.toFixed(0)}/s of them answered, the others without a free socket`,
      kept: peak.shed + peak.other === 0 && share >= 0.8 && wanted >= 3,
      timed: true,
    },
    {
      promised: 'the rest is answered 503 with Retry-After',
      measured: `${flood.shed} shed, ${flood.other} other ${JSON.stringify(flood.others)}, the oldest unanswered for ${flood.oldest} ms`,
      kept: flood.shed > 0 && flood.other === 0 && flood.oldest < shedWithinMs,
      ...(flood.shed > 0 && flood.other === 0 && { timed: true as const }),
    },
    {
      promised: '/healthz 200 meanwhile',
      measured: `${statuses(probes.outcomes)}; slowest ${seconds(slowest(probes.outcomes))}`,
      kept: probes.outcomes.length > 50 && probes.outcomes.every(({ status }) => status === 200),
    },
    {
      promised: 'normal again 5 s later',
      measured: `at ${rate}/s: ${text(after)}`,
      // Except requests that were sent just before the end.
      kept: after.shed + after.other === 0 && after.good >= (0.9 * rate * afterMs) / 1000 && after.p99 < calmP99Ms,
      ...(after.other === 0 && { timed: true as const }),
    },
  ];
}

export async function run(): Promise<Verdict[]> {
  const stage = await openStage();
  try {
    const instance = await stage.start();
    const { adminToken } = await createPeople(instance.url);
    const verdicts = await overload(instance, adminToken, stage.folder);
    const most = instance.maxMemory();
    return [...verdicts, { promised: 'memory under 512 MiB', measured: `at most ${most} MiB`, kept: most < 512 }];
  } finally {
    await stage.close();
  }
}
