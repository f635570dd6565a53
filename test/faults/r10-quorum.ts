import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import type { GaleraCluster } from '../support/galera.js';
import { checkInvariants } from './r10-invariants.js';
import { type Answer, type Instance, send } from './r10-service.js';
import type { Verdict } from './report.js';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** How long until the condition holds. @throws when it doesn't in time */
async function until(what: string, limitMs: number, holds: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - startedAt > limitMs) throw new Error(`${what}: not within ${seconds(limitMs)}`);
    await sleep(50);
  }
  return performance.now() - startedAt;
}

const isReady = async ({ url }: Instance) => (await send(url, 'GET', '/readyz')).status === 200;

/** Somebody who registers writes; without a token a listing reads; a login does both. */
const requests: readonly [string, string, object?][] = [
  ['GET', '/api/courses'],
  ['GET', '/api/auth/setup-status'],
  ['POST', '/api/auth/login', { identifier: 'somebody@example.org', password: 'difference engine' }],
  ['GET', '/readyz'],
];

const askAll = ({ url }: Instance, times = 1) =>
  Promise.all(
    Array.from({ length: times }, () =>
      requests.map(([method, target, body]) => send(url, method, target, { body })),
    ).flat(),
  );

const is503 = ({ status, retryAfter }: Answer) => status === 503 && retryAfter !== null;

/** What reading what others have committed costs, in milliseconds: the medians of 300 reads without and with it. */
async function costOfWaiting(url: string): Promise<{ without: number; with: number }> {
  const connection = await createConnection(url);
  try {
    const median = async (wait: 0 | 1) => {
      await connection.query(`SET SESSION wsrep_sync_wait = ${wait}`);
      const times: number[] = [];
      for (let index = 0; index < 300; index += 1) {
        const startedAt = performance.now();
        await connection.query('SELECT id FROM users LIMIT 1');
        times.push(performance.now() - startedAt);
      }
      return times.sort((one, other) => one - other)[150] ?? 0;
    };
    return { without: await median(0), with: await median(1) };
  } finally {
    await connection.end();
  }
}

/** Two of three nodes die, and come back. The service is never started anew. */
export async function measureQuorum(
  { nodes }: GaleraCluster,
  instances: readonly Instance[],
  urls: readonly string[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const judge = (promised: string, measured: string, kept: boolean) =>
    verdicts.push({ promised: `Galera: ${promised}`, measured, kept });
  const [survivor, ...others] = instances;
  const [left, ...killed] = nodes;
  if (!survivor || !left) throw new Error('There is no cluster.');

  const cost = await costOfWaiting(urls[0] ?? '');
  const extra = cost.with - cost.without;
  judge(
    'reading what other nodes have committed costs less than 5 ms a read',
    `${cost.without.toFixed(2)} ms without, ${cost.with.toFixed(2)} ms with waiting`,
    extra < 5,
  );

  await Promise.all(killed.map((node) => node.kill()));
  const duringLoss: Answer[] = [];
  const lost = await until('not ready without quorum', 30_000, async () => {
    duringLoss.push(...(await askAll(survivor)));
    return duringLoss.some(({ status, said }) => status === 503 && said.includes('unavailable'));
  });
  judge('without quorum not ready within 10 s', seconds(lost), lost < 10_000 && !(await isReady(survivor)));
  const slowest = Math.max(...duringLoss.map(({ ms }) => ms));
  const worse = duringLoss.filter((answer) => answer.status >= 500 && !is503(answer));
  judge(
    'requests when the nodes die: no 5xx but 503, within 10 s',
    `${duringLoss.length} requests, ${worse.length} other failures, the slowest ${seconds(slowest)}`,
    worse.length === 0 && slowest < 10_000,
  );

  for (const [index, instance] of instances.entries()) {
    const answers = await askAll(instance, 10);
    const right = answers.filter(is503).length;
    judge(
      `instance ${index + 1} without quorum: 503 with Retry-After to all, within 5 s`,
      `${right} of ${answers.length}, the slowest ${seconds(Math.max(...answers.map(({ ms }) => ms)))}`,
      right === answers.length && answers.every(({ ms }) => ms < 5000),
    );
  }
  const alive = await Promise.all(instances.map(({ url }) => send(url, 'GET', '/healthz')));
  judge(
    '/healthz 200 meanwhile',
    alive.map(({ status }) => status).join(' '),
    alive.every(({ status }) => status === 200),
  );

  const bootstrappedAt = performance.now();
  await left.query("SET GLOBAL wsrep_provider_options='pc.bootstrap=YES'");
  await until('ready after bootstrapping', 30_000, () => isReady(survivor));
  const healed = performance.now() - bootstrappedAt;
  judge('the node that is left is bootstrapped: ready within 5 s, without a restart', seconds(healed), healed < 5000);

  const cameBack = await Promise.all(
    killed.map(async (node, index) => {
      await node.rejoin();
      const instance = others[index];
      return instance ? until('ready after the return of its node', 30_000, () => isReady(instance)) : 0;
    }),
  );
  judge(
    'the others are back: their instances ready within 5 s, without a restart',
    cameBack.map(seconds).join(', '),
    cameBack.every((ms) => ms < 5000),
  );
  const afterwards = (await Promise.all(instances.map((instance) => askAll(instance)))).flat();
  judge(
    'all instances serve again',
    `${afterwards.filter(({ status }) => status < 500).length} of ${afterwards.length}`,
    afterwards.every(({ status }) => status < 500),
  );
  return [...verdicts, await checkInvariants('Galera, after all came back', urls)];
}
