import { setTimeout as sleep } from 'node:timers/promises';
import type { GaleraCluster } from '../support/galera.js';
import { type Call, type Outcome, seconds, send, slowest } from './clients.js';
import { person } from './r10-contests.js';
import type { Verdict } from './report.js';
import type { Instance } from './stage.js';

/**
 * Waits until an instance is ready, or no longer ready, and returns the milliseconds.
 * @throws Error if this takes too long
 */
async function untilReady({ url }: Instance, isReady: boolean): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const { status } = await send(url, { method: 'GET', path: '/readyz' });
    const ms = performance.now() - startedAt;
    if (status === (isReady ? 200 : 503)) return ms;
    if (ms > 30_000) throw new Error(`${url} answers ${status} after ${seconds(ms)}`);
    await sleep(50);
  }
}

/** A listing reads even without a token. A login reads and writes. */
const requests: readonly Call[] = [
  { method: 'GET', path: '/api/courses' },
  { method: 'GET', path: '/api/auth/setup-status' },
  { method: 'POST', path: '/api/auth/login', body: { identifier: 'somebody@example.org', password: 'unknown' } },
  { method: 'GET', path: '/readyz' },
];

const askAll = ({ url }: Instance, times = 1): Promise<Outcome[]> =>
  Promise.all(Array.from({ length: times }, () => requests.map((call) => send(url, call))).flat());

/**
 * Signs in an account that the races created.
 * @returns the status of the login, and the status of every node's response to the token
 */
async function signInAt({ url }: Instance, instances: readonly Instance[]): Promise<number[]> {
  const { email: identifier, password } = person('apart-0');
  const login = await send(url, { method: 'POST', path: '/api/auth/login', body: { identifier, password } });
  const { token } = JSON.parse(login.text) as { token?: string };
  const seen = await Promise.all(
    instances.map((other) => send(other.url, { method: 'GET', path: '/api/auth/me', token })),
  );
  return [login.status, ...seen.map(({ status }) => status)];
}

const is503 = ({ status, retryAfter }: Outcome) => status === 503 && retryAfter;

/** Kills two of three nodes and restarts them, without a restart of the service. */
export async function measureQuorum({ nodes }: GaleraCluster, instances: readonly Instance[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const judge = (promised: string, measured: string, kept: boolean) =>
    verdicts.push({ promised: `Galera: ${promised}`, measured, kept });
  const [survivor, ...others] = instances;
  const [left, ...killed] = nodes;
  if (!survivor || !left) throw new Error('There is no cluster.');

  const asked: Promise<Outcome[]>[] = [];
  const asking = setInterval(() => asked.push(askAll(survivor)), 100);
  await Promise.all(killed.map((node) => node.kill()));
  const lost = await untilReady(survivor, false);
  judge('without quorum, the instance reports not ready within 10 s', seconds(lost), lost < 10_000);
  clearInterval(asking);
  const duringLoss = (await Promise.all(asked)).flat();
  const worse = duringLoss.filter((one) => one.status === 0 || (one.status >= 500 && !is503(one)));
  judge(
    'requests when the nodes die: no 5xx but 503, within 10 s',
    `${duringLoss.length} requests, ${duringLoss.filter(is503).length} x 503, ${worse.length} other failures, the slowest ${seconds(slowest(duringLoss))}`,
    duringLoss.some(is503) && worse.length === 0 && slowest(duringLoss) < 10_000,
  );

  for (const [index, instance] of instances.entries()) {
    const responses = await askAll(instance, 10);
    judge(
      `instance ${index + 1} without quorum: 503 with Retry-After to all, within 5 s`,
      `${responses.filter(is503).length} of ${responses.length}, the slowest ${seconds(slowest(responses))}`,
      responses.every(is503) && slowest(responses) < 5000,
    );
  }
  const alive = await Promise.all(instances.map(({ url }) => send(url, { method: 'GET', path: '/healthz' })));
  const health = alive.map(({ status }) => status).join(' ');
  judge('/healthz 200 meanwhile', health, health === '200 200 200');

  await left.query("SET GLOBAL wsrep_provider_options='pc.bootstrap=YES'");
  const healed = await untilReady(survivor, true);
  judge(
    'the remaining node is bootstrapped: its instance is ready within 5 s, without a restart',
    seconds(healed),
    healed < 5000,
  );

  const cameBack = await Promise.all(
    killed.map(async (node, index) => {
      await node.rejoin();
      const instance = others[index];
      return instance ? untilReady(instance, true) : 0;
    }),
  );
  judge(
    'the others are back: their instances ready within 5 s, without a restart',
    cameBack.map(seconds).join(', '),
    cameBack.every((ms) => ms < 5000),
  );
  const afterwards = (await Promise.all(instances.map((instance) => askAll(instance)))).flat();
  const served = afterwards.filter(({ status }) => status > 0 && status < 500).length;
  judge('all instances serve again', `${served} of ${afterwards.length}`, served === afterwards.length);
  const known = await Promise.all(instances.map((instance) => signInAt(instance, instances)));
  judge(
    'an account can sign in at each node, and its token is valid at all nodes',
    known.map((statuses) => statuses.join(' ')).join(', '),
    known.flat().every((status) => status === 200),
  );
  return verdicts;
}
