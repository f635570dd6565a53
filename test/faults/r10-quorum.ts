import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { GaleraCluster } from '../support/galera.js';
import { onThisMachine } from '../support/machine.js';
import { person } from './r10-asking.js';
import { checkInvariants } from './r10-invariants.js';
import { type Answer, type Instance, send } from './r10-service.js';
import type { Verdict } from './report.js';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** How much longer a read may take that waits for what other nodes have committed. */
const waitingMs = onThisMachine(5);

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

/** A registration writes; without a token a listing reads; a login does both. */
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

/** Signs in an account that the races created. @returns the response, and that of every node to the token */
async function signInAt({ url }: Instance, instances: readonly Instance[]): Promise<number[]> {
  const { email: identifier, password } = person('apart-0');
  const { status, body } = await send(url, 'POST', '/api/auth/login', { body: { identifier, password } });
  const token = String(body.token);
  const seen = await Promise.all(instances.map((other) => send(other.url, 'GET', '/api/auth/me', { token })));
  return [status, ...seen.map((answer) => answer.status)];
}

const is503 = ({ status, retryAfter }: Answer) => status === 503 && retryAfter !== null;

const rounds = 300;

/** Reads on one node what was just written on another: how often it isn't there yet, and how long a read takes. */
async function readElsewhere(writer: Connection, reader: Connection, wait: 0 | 1) {
  await reader.query(`SET SESSION wsrep_sync_wait = ${wait}`);
  let stale = 0;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const name = `${wait}-${round}`;
    await writer.query('INSERT INTO leases (name, owner, expires_at) VALUES (?, ?, 0)', [name, '']);
    const startedAt = performance.now();
    const [rows] = await reader.query<RowDataPacket[]>('SELECT owner FROM leases WHERE name = ?', [name]);
    times.push(performance.now() - startedAt);
    if (rows.length === 0) stale += 1;
  }
  return { stale, median: times.sort((one, other) => one - other)[rounds / 2] ?? 0 };
}

/** What the service sets for its connections, with and without. */
async function judgeWaiting([writerUrl = '', readerUrl = '']: readonly string[]): Promise<Verdict> {
  const [writer, reader] = [await createConnection(writerUrl), await createConnection(readerUrl)];
  try {
    const without = await readElsewhere(writer, reader, 0);
    const waiting = await readElsewhere(writer, reader, 1);
    const said = ({ stale, median }: typeof waiting) => `${stale} of ${rounds} stale, ${median.toFixed(2)} ms`;
    return {
      promised: `Galera: reading what another node has just committed costs less than ${waitingMs} ms, and finds it`,
      measured: `${said(waiting)}; without waiting ${said(without)}`,
      kept: waiting.stale === 0 && waiting.median - without.median < waitingMs,
      ...(waiting.stale === 0 && { timed: true as const }),
    };
  } finally {
    writer.destroy();
    reader.destroy();
  }
}

/** Sends all kinds of requests ten times a second until it is told to stop. */
function keepAsking(instance: Instance): { stop(): Promise<Answer[]> } {
  const asked: Promise<Answer[]>[] = [];
  const timer = setInterval(() => asked.push(askAll(instance)), 100);
  return {
    async stop() {
      clearInterval(timer);
      return (await Promise.all(asked)).flat();
    },
  };
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

  verdicts.push(await judgeWaiting(urls));
  const asking = keepAsking(survivor);
  await Promise.all(killed.map((node) => node.kill()));
  const lost = await until('not ready without quorum', 30_000, async () => {
    const { status, said } = await send(survivor.url, 'GET', '/readyz');
    return status === 503 && said.includes('unavailable');
  });
  judge('without quorum not ready within 10 s', seconds(lost), lost < 10_000 && !(await isReady(survivor)));
  const duringLoss = await asking.stop();
  const slowest = Math.max(...duringLoss.map(({ ms }) => ms));
  const worse = duringLoss.filter((answer) => answer.status >= 500 && !is503(answer));
  judge(
    'requests when the nodes die: no 5xx but 503, within 10 s',
    `${duringLoss.length} requests, ${duringLoss.filter(is503).length} x 503, ${worse.length} other failures, the slowest ${seconds(slowest)}`,
    duringLoss.some(is503) && worse.length === 0 && slowest < 10_000,
  );

  for (const [index, instance] of instances.entries()) {
    const answers = await askAll(instance, 10);
    const right = answers.filter(is503).length;
    judge(
      `instance ${index + 1} without quorum: 503 with Retry-After to all, within 5 s`,
      `${right} of ${answers.length}, the slowest ${seconds(Math.max(...answers.map(({ ms }) => ms)))}`,
      right > 0 && right === answers.length && answers.every(({ ms }) => ms < 5000),
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
  const known = await Promise.all(instances.map((instance) => signInAt(instance, instances)));
  judge(
    'an account signs in at each node, and its token is valid at all',
    known.map((statuses) => statuses.join(' ')).join(', '),
    known.every((statuses) => statuses.every((status) => status === 200)),
  );
  return [...verdicts, await checkInvariants('Galera, after all came back', urls)];
}
