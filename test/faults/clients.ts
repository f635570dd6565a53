import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** What became of a request: 0 is no answer, a reset or a connection that was refused. */
export interface Outcome {
  at: number;
  ms: number;
  status: number;
  path: string;
  retryAfter: boolean;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  token?: string;
  body?: object;
}

const pool = { keepAlive: true, maxSockets: 200 };
/** Proxies of tests have certificates of their own. */
const protocols = {
  'http:': { request: requestHttp, agent: new HttpAgent(pool) },
  'https:': { request: requestHttps, agent: new HttpsAgent({ ...pool, rejectUnauthorized: false }) },
};

/** Sends a request and waits for the end of its answer; nothing is tried again. */
export function send(url: string, { method, path, token, body }: Call): Promise<Outcome & { text: string }> {
  const { request, agent } = protocols[url.startsWith('https:') ? 'https:' : 'http:'];
  const at = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const settle = (status: number, retryAfter = false) =>
      resolve({ at, ms: performance.now() - at, status, path, retryAfter, text });
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const call: ClientRequest = request(url + path, { method, agent, headers }, (response) => {
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.once('end', () => settle(response.statusCode ?? 0, response.headers['retry-after'] !== undefined));
      response.once('error', () => settle(0));
    });
    call.setTimeout(30_000, () => call.destroy());
    call.once('error', (error) => {
      text = error.message;
      settle(0);
    });
    call.end(body && JSON.stringify(body));
  });
}

/** Clients that send one request after the other until they are stopped. */
export interface ClientGroup {
  outcomes: Outcome[];
  stop(): Promise<void>;
}

/**
 * @param next what a client sends next; told what came of it
 * @param pauseMs between two requests of a client
 */
export function startClients(
  url: string,
  clients: number,
  next: () => Call & { done?(outcome: Outcome & { text: string }): void },
  pauseMs = 0,
): ClientGroup {
  const outcomes: Outcome[] = [];
  let running = true;
  const client = async () => {
    while (running) {
      const { done, ...call } = next();
      const outcome = await send(url, call);
      done?.(outcome);
      const { text: _, ...kept } = outcome;
      outcomes.push(kept);
      // Retries a refused connection after a pause.
      await sleep(outcome.status === 0 ? 50 : pauseMs);
    }
  };
  const all = Array.from({ length: clients }, client);
  return {
    outcomes,
    async stop() {
      running = false;
      await Promise.all(all);
    },
  };
}

/** How often each status came, such as `200: 512, 503: 3`. */
export function statuses(outcomes: readonly { status: number }[]): string {
  const counts = new Map<number, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status === 0 ? 'no answer' : status}: ${count}`)
    .join(', ');
}

export const slowest = (outcomes: readonly Outcome[]): number => Math.max(0, ...outcomes.map(({ ms }) => ms));

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
