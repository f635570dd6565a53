import { setTimeout as sleep } from 'node:timers/promises';
import { scaledToProcessor } from '../support/machine.js';
import { until } from '../support/until.js';
import { type ClientGroup, type Outcome, seconds, slowest, startClients, statuses } from './clients.js';
import { type Fault, type FaultyProxy, startProxy } from './proxy.js';
import type { Verdict } from './report.js';
import { createPeople, openStage } from './stage.js';
import { recordWrites, storedOnceVerdict } from './writes.js';

/** Simulates four faults of the database. The service must recover from each. */

/** 5 s on the reference machine: 3.5 s of timeouts, and 1.5 s that take longer on a slower processor. */
const answeredWithinMs = 3500 + scaledToProcessor(1500);
const healedWithinMs = 10_000;
const faultMs = 8000;
const afterMs = 12_000;
/** Every request queries the database, so it takes longer than this if every response is late. */
const slowMs = 500;
const feltShare = 0.1;
/** Minimum number of requests for /healthz, which is requested several times a second. */
const leastProbes = 200;

/** Each service meets two of the faults in turn. Two services run in parallel, because most of the time is waiting. */
const faults: readonly (readonly Fault[])[] = [
  [{ kind: 'black hole' }, { kind: 'reset' }],
  [
    { kind: 'delay', ms: 500 },
    { kind: 'cut', bytes: 3000 },
  ],
];
const clientsOfEach = 30;
/** Pause between two requests of a client, in milliseconds. */
const pauseMs = 40;

interface Phase {
  name: string;
  during: Outcome[];
  after: Outcome[];
  healedAt: number;
  /** Number of times that the fault occurred. */
  struck: number;
}

/** Applies a fault under load. */
async function applyFault(fault: Fault, proxy: FaultyProxy, clients: ClientGroup): Promise<Phase> {
  const from = performance.now();
  proxy.set(fault);
  await sleep(faultMs);
  const struck = proxy.struck();
  proxy.set({ kind: 'none' });
  const healedAt = performance.now();
  await sleep(afterMs);
  const all = clients.outcomes.filter(({ at }) => at >= from);
  const [during, after] = [all.filter(({ at }) => at < healedAt), all.filter(({ at }) => at >= healedAt)];
  const name = 'ms' in fault ? `delay of ${fault.ms} ms` : 'bytes' in fault ? `cut after ${fault.bytes} B` : fault.kind;
  console.log(`${name}: during ${statuses(during)}; after ${statuses(after)}; slowest ${seconds(slowest(all))}`);
  return { name, during, after, healedAt, struck };
}

/** Checks that requests met the fault: some failed, or took as long as a slow database's response. */
function judgeEffect({ name, during, struck }: Phase): Verdict {
  const failed = during.filter(({ status }) => status === 503).length;
  const slow = during.filter(({ status, ms }) => status !== 503 && ms >= slowMs).length;
  return {
    promised: `${name}: the fault occurs, and affects requests`,
    measured: `it occurred ${struck} times; of ${during.length} requests ${failed} failed, ${slow} others took over ${seconds(slowMs)}`,
    kept: struck > 0 && failed + slow >= feltShare * Math.max(1, during.length),
    ...(struck > 0 && { timed: true as const }),
  };
}

function judge(phase: Phase): Verdict[] {
  const { name, during, after, healedAt } = phase;
  const all = [...during, ...after];
  const isGood = ({ status }: Outcome) => status === 200 || status === 201;
  const documented = all.every((outcome) => isGood(outcome) || (outcome.status === 503 && outcome.retryAfter));
  const late = after.filter(({ at }) => at - healedAt >= healedWithinMs);
  const good = late.filter(isGood).length / Math.max(1, late.length);
  const allAnswered = during.length > 0 && all.every(({ status }) => status !== 0);
  const lastBad = Math.max(0, ...after.filter((outcome) => !isGood(outcome)).map(({ at }) => at - healedAt));
  return [
    judgeEffect(phase),
    {
      promised: `${name}: every request answered in ${seconds(answeredWithinMs)}`,
      measured: `slowest of ${all.length}: ${seconds(slowest(all))}`,
      kept: allAnswered && slowest(all) <= answeredWithinMs,
      ...(allAnswered && { timed: true as const }),
    },
    { promised: `${name}: 2xx, or 503 with Retry-After`, measured: statuses(all), kept: documented },
    {
      promised: `${name}: over 99 % good within 10 s after the fault`,
      measured: `${(100 * good).toFixed(2)} % of ${late.length}, the last failure after ${seconds(lastBad)}`,
      kept: late.length > 0 && good > 0.99,
      ...(documented && { timed: true as const }),
    },
  ];
}

async function applyFaults(faults: readonly Fault[]): Promise<Verdict[]> {
  const stage = await openStage();
  try {
    const proxy = await startProxy(Number(new URL(stage.database.url).port));
    const instance = await stage.start({ DATABASE_URL: stage.databaseUrl(proxy.port) });
    const { adminToken, trainerToken } = await createPeople(instance.url);
    const writes = recordWrites(trainerToken);
    let number = 0;
    const clients = startClients(
      instance.url,
      clientsOfEach,
      () => {
        number += 1;
        if (number % 3 === 0) return writes.next();
        return { method: 'GET', path: number % 3 === 1 ? '/api/auth/me' : '/api/users?limit=5', token: adminToken };
      },
      pauseMs,
    );
    const probes = startClients(instance.url, 1, () => ({ method: 'GET', path: '/healthz' }), 100);
    await until(() => clients.outcomes.length > 1000, 'the service works');
    const phases: Phase[] = [];
    for (const fault of faults) phases.push(await applyFault(fault, proxy, clients));
    await Promise.all([clients.stop(), probes.stop()]);
    const compared = await writes.compare(stage.databaseUrl());
    // A last fault that stays: background work of the service is stuck when it must end.
    proxy.set({ kind: 'black hole' });
    await sleep(2000);
    const askedAt = performance.now();
    instance.kill('SIGTERM');
    const exitCode = await instance.exited;
    const tookMs = performance.now() - askedAt;
    await proxy.close();
    const all = phases.map(({ name }) => name).join(', ');
    return [
      ...phases.flatMap(judge),
      {
        promised: `${all}: /healthz 200 throughout`,
        measured: `${statuses(probes.outcomes)}; slowest ${seconds(slowest(probes.outcomes))}`,
        kept: probes.outcomes.length >= leastProbes && probes.outcomes.every(({ status }) => status === 200),
      },
      storedOnceVerdict(`${all}: every write answered 201 is stored once`, compared),
      {
        promised: `${all}, then SIGTERM in a black hole: exit code 0 within 25 s`,
        measured: `${exitCode} after ${seconds(tookMs)}`,
        kept: exitCode === 0 && tookMs < 25_000,
      },
    ];
  } finally {
    await stage.close();
  }
}

export async function run(): Promise<Verdict[]> {
  return (await Promise.all(faults.map(applyFaults))).flat();
}
