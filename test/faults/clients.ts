import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Load, LoadResult, Request } from './load-generator.js';

/** Result of a request. Status 0 means no response, a reset, or a refused connection. */
export interface Outcome {
  at: number;
  ms: number;
  status: number;
  path: string;
  retryAfter: boolean;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  token?: string | undefined;
  /** A value sent as JSON, or a form. */
  body?: object | undefined;
}

const pool = { keepAlive: true, maxSockets: 200 };
/** Proxies of tests have self-signed certificates. */
const protocols = {
  'http:': { request: requestHttp, agent: new HttpAgent(pool) },
  'https:': { request: requestHttps, agent: new HttpsAgent({ ...pool, rejectUnauthorized: false }) },
};

/** Sends a request and waits for the end of its response. Never retries. */
export async function send(
  url: string,
  { method, path: target, token, body }: Call,
): Promise<Outcome & { text: string }> {
  const { request, agent } = protocols[url.startsWith('https:') ? 'https:' : 'http:'];
  const form = body instanceof FormData ? new Response(body) : undefined;
  const content = form ? Buffer.from(await form.arrayBuffer()) : body && JSON.stringify(body);
  const at = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const settle = (status: number, retryAfter = false) =>
      resolve({ at, ms: performance.now() - at, status, path: target, retryAfter, text });
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': form?.headers.get('content-type') ?? 'application/json' }),
    };
    const call: ClientRequest = request(url + target, { method, agent, headers }, (response) => {
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
    call.end(content);
  });
}

/**
 * Sends requests from a separate process.
 * @param folder for the file that passes the requests
 */
export async function generate(
  load: Omit<Load, 'requestsFile'>,
  requests: readonly Request[],
  folder: string,
): Promise<LoadResult> {
  const requestsFile = path.join(folder, `requests-${randomUUID()}.json`);
  writeFileSync(requestsFile, JSON.stringify(requests));
  const generator = fileURLToPath(new URL('./load-generator.ts', import.meta.url));
  const argv = ['--import', 'tsx', generator, JSON.stringify({ ...load, requestsFile } satisfies Load)];
  return JSON.parse((await promisify(execFile)(process.execPath, argv)).stdout) as LoadResult;
}

/** Clients that send requests one after the other until they are stopped. */
export interface ClientGroup {
  outcomes: Outcome[];
  stop(): Promise<void>;
}

/**
 * Starts clients.
 * @param next returns the next request; its `done` gets the result
 * @param pauseMs pause between two requests of a client
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

/** Returns the number of responses by status, such as `200: 512, 503: 3`. */
export function statuses(outcomes: readonly { status: number }[]): string {
  const counts = new Map<number, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status === 0 ? 'no response' : status}: ${count}`)
    .join(', ');
}

export const slowest = (outcomes: readonly Outcome[]): number => Math.max(0, ...outcomes.map(({ ms }) => ms));

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
