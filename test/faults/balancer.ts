import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A round-robin proxy in front of instances, of which it knows by their readiness alone. */
export interface Balancer {
  url: string;
  /** Instances that are sent requests now. */
  ready(): string[];
  /** Requests for which there was no instance, or whose instance failed. */
  failures: string[];
  /** How many requests with this path an instance is working on. */
  underWay(instance: string, path: string): number;
  close(): Promise<void>;
}

const checkEveryMs = 200;

interface Upstream {
  url: string;
  ready: boolean;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) })).status === 200;
  } catch {
    return false;
  }
}

/** Starts a balancer. It tries again only what an idle connection refused before an answer began, and what has no body. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const upstreams: Upstream[] = urls.map((url) => ({ url, ready: true }));
  const agent = new Agent({ keepAlive: true, maxSockets: 500 });
  const failures: string[] = [];
  const underWay = new Set<{ instance: string; path: string }>();
  let next = 0;

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, again = false): void {
    const candidates = upstreams.filter(({ ready }) => ready);
    next += 1;
    const upstream = candidates[next % Math.max(1, candidates.length)];
    const fail = (why: string) => {
      failures.push(why);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    };
    if (!upstream) {
      fail('no instance is ready');
      return;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const { connection: _, ...passedOn } = headers;
    const entry = { instance: upstream.url, path: url };
    underWay.add(entry);
    outgoing.once('close', () => underWay.delete(entry));
    const call = request(upstream.url + url, { method, headers: passedOn, agent }, (answer) => {
      const { connection: _own, 'keep-alive': _keep, ...back } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, back);
      answer.pipe(outgoing);
      answer.once('error', (error) => fail(`${method} ${url}: ${error.message}`));
    });
    call.once('error', (error) => {
      const untouched = call.reusedSocket && method === 'GET' && !outgoing.headersSent;
      if (untouched && !again) forward(incoming, outgoing, true);
      else fail(`${method} ${url} to ${upstream.url}: ${error.message}`);
    });
    if (again) call.end();
    else incoming.pipe(call);
  }

  const server = createServer((incoming, outgoing) => forward(incoming, outgoing));
  server.keepAliveTimeout = 60_000;
  const check = setInterval(() => {
    for (const upstream of upstreams)
      void isReady(upstream.url).then((ready) => {
        upstream.ready = ready;
      });
  }, checkEveryMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on a host and port has an address of that kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => upstreams.filter(({ ready }) => ready).map(({ url }) => url),
    failures,
    underWay: (instance, path) =>
      [...underWay].filter((entry) => entry.instance === instance && entry.path === path).length,
    async close() {
      clearInterval(check);
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
