import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { scaledToProcessor } from '../support/machine.js';
import { seconds, slowest, startClients, statuses } from './clients.js';
import type { Verdict } from './report.js';
import { createPeople, type Instance, openStage } from './stage.js';

/** Opens sockets that are slow on purpose. */

/** Time limit for other requests meanwhile. */
const servedWithinMs = scaledToProcessor(2000);

const slowSockets = 500;
const slowClosedMs = 36_000;
/** Idle connections and unfinished heads may stay for 10 s, bodies for 30 s. The rest is a margin for the measurement. */
const slowLimitsMs = [12_000, 12_000, 33_000];

interface SlowSocket {
  kind: number;
  /** Time of the connection; undefined before. */
  connectedAt: number | undefined;
  /** Milliseconds from the connection to its end. */
  closedMs: number | undefined;
}

const slowKinds = ['that send nothing', 'with a head that never ends', 'with a body that never ends'];

/** Opens connections of the three kinds. */
function openSlowly(port: number): { sockets: SlowSocket[]; close(): void } {
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\n';
  const kinds = ['', head, `${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"`];
  const all: Socket[] = [];
  const sockets = Array.from({ length: slowSockets }, (_, number): SlowSocket => {
    const socket = connect(port, '127.0.0.1');
    all.push(socket);
    const state: SlowSocket = { kind: number % kinds.length, connectedAt: undefined, closedMs: undefined };
    const sent = kinds[state.kind] ?? '';
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      state.connectedAt = performance.now();
    });
    socket.once('close', () => {
      state.closedMs = performance.now() - (state.connectedAt ?? performance.now());
      clearInterval(drip);
    });
    socket.resume();
    socket.write(sent);
    const drip = setInterval(() => sent && socket.write(sent === head ? 'X-A: b\r\n' : 'a'), 1000);
    return state;
  });
  return {
    sockets,
    close: () => {
      for (const socket of all) socket.destroy();
    },
  };
}

async function holdSockets({ url }: Instance, token: string): Promise<Verdict[]> {
  const from = performance.now();
  const slow = openSlowly(Number(new URL(url).port));
  const clients = startClients(url, 5, () => ({ method: 'GET', path: '/api/auth/me', token }), 50);
  const isOpen = ({ closedMs }: SlowSocket) => closedMs === undefined;
  while (slow.sockets.some(isOpen) && performance.now() - from < slowClosedMs) await sleep(200);
  // Remaining connections are closed here, not by the service.
  const sockets = slow.sockets.map((socket) => ({ ...socket }));
  slow.close();
  await clients.stop();
  // A service that waits for the processor closes sockets as late as it answers other requests.
  const answeredMs = slowest(clients.outcomes);
  const verdicts = slowKinds.map((name, kind): Verdict => {
    const own = sockets.filter((socket) => socket.kind === kind);
    const connected = own.filter(({ connectedAt }) => connectedAt !== undefined).length;
    const left = own.filter(isOpen).length;
    const times = own.map(({ closedMs }) => closedMs ?? Number.POSITIVE_INFINITY);
    const limit = (slowLimitsMs[kind] ?? 0) + answeredMs;
    return {
      promised: `${own.length} of ${slowSockets} sockets ${name} are accepted, and closed within ${seconds(limit)}`,
      measured: `${connected} connected, closed after ${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}, ${left} left`,
      // A connection that was closed immediately was never accepted.
      kept: connected === own.length && Math.min(...times) > 1000 && Math.max(...times) <= limit,
      ...(connected === own.length && left === 0 && { timed: true }),
    };
  });
  const allServed = clients.outcomes.every(({ status }) => status === 200);
  return [
    ...verdicts,
    {
      promised: 'other clients are served meanwhile',
      measured: `${statuses(clients.outcomes)}; slowest ${seconds(answeredMs)}`,
      kept: clients.outcomes.length > 100 && allServed && answeredMs < servedWithinMs,
      ...(allServed && { timed: true as const }),
    },
  ];
}

export async function run(): Promise<Verdict[]> {
  const stage = await openStage();
  try {
    const instance = await stage.start();
    const { adminToken } = await createPeople(instance.url);
    const verdicts = await holdSockets(instance, adminToken);
    const most = instance.maxMemory();
    return [...verdicts, { promised: 'memory under 512 MiB', measured: `at most ${most} MiB`, kept: most < 512 }];
  } finally {
    await stage.close();
  }
}
