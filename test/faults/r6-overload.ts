import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seconds, slowest, startCrowd, statuses } from './clients.js';
import type { Load, LoadResult } from './load-generator.js';
import type { Verdict } from './report.js';
import { type Instance, people, setStage } from './stage.js';

/** Sockets that are slow on purpose, then four times as many requests as the service can answer. */

const slowSockets = 500;
const slowClosedMs = 36_000;
const peakMs = 4000;
const floodMs = 5000;
/** The machine has neighbours: peak and flood are measured in turns, so that both have as much of it. */
const rounds = 3;

const generator = fileURLToPath(new URL('./load-generator.ts', import.meta.url));

async function generate(load: Load): Promise<LoadResult> {
  const argv = ['--import', 'tsx', generator, JSON.stringify(load)];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  return JSON.parse(stdout) as LoadResult;
}

/** Connections that send nothing, a request that never ends, and a body that never ends. @returns how many are open */
function openSlowly(port: number): { open(): number; close(): void } {
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\n';
  const kinds = ['', head, `${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"`];
  const sockets: Socket[] = Array.from({ length: slowSockets }, (_, number) => {
    const socket = connect(port, '127.0.0.1');
    const kind = kinds[number % kinds.length] ?? '';
    socket.on('error', () => undefined);
    socket.resume();
    if (kind === '') return socket;
    socket.write(kind);
    const drip = setInterval(() => socket.write(kind === head ? 'X-A: b\r\n' : 'a'), 1000);
    socket.once('close', () => clearInterval(drip));
    return socket;
  });
  return {
    open: () => sockets.filter(({ closed }) => !closed).length,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function slowloris({ url }: Instance, token: string): Promise<Verdict[]> {
  const from = performance.now();
  const slow = openSlowly(Number(new URL(url).port));
  const crowd = startCrowd(url, 5, () => ({ method: 'GET', path: '/api/auth/me', token }), 50);
  while (slow.open() > 0 && performance.now() - from < slowClosedMs) await sleep(200);
  const [left, tookMs] = [slow.open(), performance.now() - from];
  slow.close();
  await crowd.stop();
  return [
    {
      promised: `${slowSockets} slow sockets are closed (no request: 10 s, no body: 30 s)`,
      measured: `${left} left after ${seconds(tookMs)}`,
      kept: left === 0,
    },
    {
      promised: 'others are served meanwhile',
      measured: `${statuses(crowd.outcomes)}; slowest ${seconds(slowest(crowd.outcomes))}`,
      kept: crowd.outcomes.every(({ status, ms }) => status === 200 && ms < 2000),
    },
  ];
}

const perSecond = ({ good, seconds: time }: LoadResult) => good / time;

/** The results of several turns as one; of the times, the worst. */
function sum(results: readonly LoadResult[]): LoadResult {
  return results.reduce((total, one) => ({
    good: total.good + one.good,
    shed: total.shed + one.shed,
    other: total.other + one.other,
    others: { ...total.others, ...one.others },
    unsent: total.unsent + one.unsent,
    seconds: total.seconds + one.seconds,
    p50: Math.max(total.p50, one.p50),
    p99: Math.max(total.p99, one.p99),
  }));
}

async function overload({ url }: Instance, token: string): Promise<Verdict[]> {
  const to = { port: Number(new URL(url).port), token, paths: ['/api/auth/me', '/api/users?limit=10'] };
  await generate({ ...to, clients: 32, durationMs: 4000 });
  const probes = startCrowd(url, 1, () => ({ method: 'GET', path: '/healthz' }), 100);
  const [peaks, floods]: [LoadResult[], LoadResult[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    peaks.push(await generate({ ...to, clients: 32, durationMs: peakMs }));
    const rate = Math.round(4 * perSecond(sum(peaks)));
    floods.push(await generate({ ...to, rate, durationMs: floodMs }));
  }
  const [peak, flood] = [sum(peaks), sum(floods)];
  await probes.stop();
  await sleep(5000);
  const after = await generate({ ...to, rate: Math.round(perSecond(peak) / 2), durationMs: 3000 });
  const text = ({ good, shed, other, others, p50, p99 }: LoadResult) =>
    `${good} good (p50 ${p50} ms, p99 ${p99} ms), ${shed} shed, ${other} other ${JSON.stringify(others)}`;
  for (const [name, result] of Object.entries({ peak, flood, after })) console.log(`${name}: ${text(result)}`);
  const share = perSecond(flood) / perSecond(peak);
  const answered = (flood.good + flood.shed + flood.other) / flood.seconds;
  // Those too that had to wait for one of the generator's many sockets, and would have waited in the system's queue.
  const wanted = answered + flood.unsent / flood.seconds;
  return [
    {
      promised: 'at 4 times the peak, goodput is at least 80 % of it',
      measured: `${(100 * share).toFixed(0)} % of ${perSecond(peak).toFixed(0)}/s, at ${wanted.toFixed(0)}/s, ${answered.toFixed(0)}/s of them answered`,
      kept: share >= 0.8 && wanted >= 3 * perSecond(peak),
    },
    {
      promised: 'the rest is answered 503 with Retry-After',
      measured: `${flood.shed} shed, ${flood.other} other ${JSON.stringify(flood.others)}`,
      kept: flood.shed > 0 && flood.other === 0,
    },
    {
      promised: '/healthz 200 meanwhile',
      measured: `${statuses(probes.outcomes)}; slowest ${seconds(slowest(probes.outcomes))}`,
      kept: probes.outcomes.every(({ status }) => status === 200),
    },
    {
      promised: 'normal again 5 s later',
      measured: `${text(after)}`,
      kept: after.shed + after.other === 0 && after.p99 < 500,
    },
  ];
}

export async function run(): Promise<Verdict[]> {
  const stage = await setStage();
  try {
    const instance = await stage.start();
    const { adminToken } = await people(instance.url);
    const verdicts = [...(await slowloris(instance, adminToken)), ...(await overload(instance, adminToken))];
    const { most } = instance.memory();
    return [...verdicts, { promised: 'memory under 512 MiB', measured: `at most ${most} MiB`, kept: most < 512 }];
  } finally {
    await stage.close();
  }
}
