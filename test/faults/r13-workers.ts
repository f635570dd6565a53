import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, isRunning } from '../support/child-processes.js';
import { scaled } from '../support/machine.js';
import { type Call, type Outcome, seconds, slowest, statuses } from './clients.js';
import { clientPortsOf } from './connections-of.js';
import type { Verdict } from './report.js';
import { type Instance, people, setStage } from './stage.js';
import { recordWrites, thereOnce } from './writes.js';

/** Workers are replaced and killed under load, then the process that started them is killed. */

const workers = 2;
const rounds = 10;
/** Half of them keep their connection; the others open one for each request. */
const clients = 20;
/** How long after a kill its connections may be seen to end, in milliseconds. */
const noticeMs = 3000;
const answerMs = 15_000;
/** Kills come this much later after the SIGHUP each time, in milliseconds, five times. */
const killEveryMs = 500;

/** What became of a request, and the port that it was sent from. */
interface Sent extends Outcome {
  text: string;
  from: number | undefined;
  endedAt: number;
}

/** A killed worker: when, and the ports of the clients that were connected to it. */
interface Kill {
  at: number;
  ports: ReadonlySet<number>;
}

function send(url: string, agent: Agent, { method, path, token, body }: Call): Promise<Sent> {
  const at = performance.now();
  return new Promise((resolve) => {
    let [text, from]: [string, number | undefined] = ['', undefined];
    const settle = (status: number) => {
      const endedAt = performance.now();
      resolve({ at, endedAt, ms: endedAt - at, status, path, retryAfter: false, text, from });
    };
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
    const call = request(url + path, { method, agent, headers }, (response) => {
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('end', () => settle(response.statusCode ?? 0));
      response.once('error', () => settle(0));
    });
    call.once('socket', (socket) => {
      const note = () => {
        from = socket.localPort;
      };
      if (socket.connecting) socket.once('connect', note);
      else note();
    });
    call.setTimeout(answerMs, () => call.destroy(new Error(`no answer in ${answerMs} ms`)));
    call.once('error', (error) => {
      text = error.message;
      settle(0);
    });
    call.end(body && JSON.stringify(body));
  });
}

function startLoad(url: string, next: () => Call & { done?(sent: Sent): void }) {
  const sent: Sent[] = [];
  let running = true;
  const all = Array.from({ length: clients }, async (_, number) => {
    const agent = new Agent({ keepAlive: number % 2 === 0, maxSockets: 1 });
    while (running) {
      const { done, ...call } = next();
      const outcome = await send(url, agent, call);
      done?.(outcome);
      sent.push(outcome);
      await sleep(10);
    }
    agent.destroy();
  });
  return {
    sent,
    async stop() {
      running = false;
      await Promise.all(all);
    },
  };
}

/** How many workers serve, as the service says. */
async function serving(url: string): Promise<number> {
  const signal = AbortSignal.timeout(answerMs);
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' }, signal })).text();
  return Number(/^coursectl_workers (\d+)$/m.exec(text)?.[1]);
}

/** Waits until all workers are others than those before, and serve. */
async function untilReplaced({ pid, url, written }: Instance, before: readonly number[]): Promise<void> {
  const deadline = performance.now() + scaled(60_000);
  for (;;) {
    const now = childrenOf(pid);
    if (now.length === workers && !now.some((one) => before.includes(one)) && (await serving(url)) === workers) return;
    if (performance.now() > deadline) throw new Error(`The workers are not replaced:\n${written()}`);
    await sleep(100);
  }
}

/** Kills the worker that has most connections. It is stopped first: what it has doesn't change while it is looked at. */
function killBusiest(pid: number, port: number): Kill {
  const connected = childrenOf(pid).map((worker) => ({ worker, count: clientPortsOf(worker, port).size }));
  const [busiest] = connected.sort((one, other) => other.count - one.count);
  if (!busiest) throw new Error('There is no worker.');
  process.kill(busiest.worker, 'SIGSTOP');
  const ports = clientPortsOf(busiest.worker, port);
  process.kill(busiest.worker, 'SIGKILL');
  return { at: performance.now(), ports };
}

const isAnswered = ({ status }: Outcome) => status === 200 || status === 201;

const isOfKilled = (kills: readonly Kill[], { from, at, endedAt }: Sent) =>
  kills.some(
    // A client may send its next request before it is told that its connection has ended.
    (kill) => from !== undefined && kill.ports.has(from) && at < kill.at + noticeMs && endedAt < kill.at + noticeMs,
  );

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Kills the process that started the workers. @returns what it has left, and how long that took to end */
async function killPrimary({ pid, url, kill }: Instance): Promise<{ left: number; free: boolean; ms: number }> {
  const before = childrenOf(pid);
  const from = performance.now();
  kill('SIGKILL');
  while (before.some(isRunning) && performance.now() - from < scaled(30_000)) await sleep(50);
  const ms = performance.now() - from;
  return { left: before.filter(isRunning).length, free: await isFree(Number(new URL(url).port)), ms };
}

export async function run(): Promise<Verdict[]> {
  const stage = await setStage();
  try {
    const service = await stage.start({ WORKERS: String(workers) });
    const port = Number(new URL(service.url).port);
    const { trainerToken: token } = await people(service.url);
    const writes = recordWrites(token);
    let number = 0;
    const load = startLoad(service.url, () => {
      number += 1;
      return number % 4 === 0 ? writes.next() : { method: 'GET', path: '/api/auth/me', token };
    });
    await sleep(1000);
    const kills: Kill[] = [];
    let replaced = 0;
    for (let round = 0; round < rounds; round += 1) {
      const before = childrenOf(service.pid);
      service.kill('SIGHUP');
      // At another moment of the replacement each time.
      await sleep((round % 5) * killEveryMs);
      kills.push(killBusiest(service.pid, port));
      await untilReplaced(service, before);
      replaced += 1;
    }
    await sleep(1000);
    const endedAt = performance.now();
    const after = await killPrimary(service);
    await load.stop();
    // What the first process had accepted and not handed on is lost with it.
    const sent = load.sent.filter((one) => one.endedAt < endedAt);
    const lost = sent.filter((one) => !isAnswered(one));
    const unexplained = lost.filter((one) => !isOfKilled(kills, one));
    for (const { path, status, text, from = 0, at, ms } of unexplained) {
      const after = kills.map((kill) => Math.round(at - kill.at)).sort((one, other) => Math.abs(one) - Math.abs(other));
      const isKnown = kills.some((kill) => kill.ports.has(from));
      console.log(
        `${path}: ${status} ${text}, begun ${after[0]} ms after a kill, lasted ${Math.round(ms)} ms, ${from}, ${isKnown}`,
      );
    }
    const ofKilled = kills.reduce((sum, { ports }) => sum + ports.size, 0);
    const compared = await writes.compare(stage.databaseUrl());
    return [
      {
        promised: `${rounds} SIGHUPs and ${rounds} SIGKILLs of workers under load: every request gets its 200 or 201, but for those on connections of a killed worker`,
        measured: `${statuses(sent)}; ${lost.length - unexplained.length} lost on ${ofKilled} connections of ${kills.length} killed workers, ${unexplained.length} on others; slowest ${seconds(slowest(sent.filter(isAnswered)))}`,
        kept: unexplained.length === 0 && kills.length === rounds && ofKilled > 0 && sent.length > 1000,
      },
      {
        promised: 'each SIGHUP replaces all workers',
        measured: `${replaced} of ${rounds} times`,
        kept: replaced === rounds,
      },
      thereOnce('every write answered 201 is there once', compared),
      {
        promised: 'the process that started the workers is killed: they end, and nothing is left',
        measured: `${after.left} processes left after ${seconds(after.ms)}, port ${after.free ? 'free' : 'in use'}`,
        kept: after.left === 0 && after.free,
      },
    ];
  } finally {
    await stage.close();
  }
}
