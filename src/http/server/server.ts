import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { AppError } from '../../errors.js';
import { listen } from '../../listen.js';
import { isLoopback, networkOf } from '../../network.js';
import type { Context } from '../../services/context.js';
import { type ImportWorker, startImportWorker } from '../../services/imports/queue/worker.js';
import { type MailSender, startMailSender } from '../../services/mail/sender.js';
import { startHousekeeping } from '../../services/maintenance/schedule.js';
import { type Promoter, startPromoter } from '../../services/waiting-list/promoter.js';
import { codeHeader, messageOf, retryAfterOf } from '../api/failures.js';
import { corsMiddleware, headersOf, securityHeaders } from '../middleware/headers.js';
import { createClientLimiter } from '../overload/clients.js';
import { type Connections, trackConnections } from '../overload/connections.js';
import { createCostlyWork } from '../overload/costly-work.js';
import type { Deadlines } from '../overload/deadlines.js';
import { countPerSecond, createRequestLimiter, type RequestLimits } from '../overload/requests.js';
import { addressOf, trustOf } from '../routing/client.js';
import { isServiceFailure } from '../routing/errors.js';
import { createMetrics } from '../routing/metrics.js';
import { createApp } from './app.js';

import { serveConsole } from './web-console.js';

/** Maximum time for running requests during a shutdown, in milliseconds, so that the service ends within 25 s. */
const longestDrainMs = 24_000;
/** Maximum time for background work during a shutdown. Closing an unreachable database takes up to 6 s more. */
const longestWorkMs = 18_000;

/**
 * Time for which the connection of a refused request isn't read, in milliseconds. Retry-After is also 2 s. Otherwise, repeated
 * refusals would take processor time from other requests.
 */
const defaultRefusedPauseMs = 2000;

/** Maximum time to receive a whole request, in milliseconds; uploads take long. */
export const requestTimeoutMs = 10 * 60_000;

/** Interval of Node's checks of connection time limits, in milliseconds. The default of 30 s is too long. */
const checkEveryMs = 2000;
/** Maximum open sockets, because each takes memory and a file descriptor. */
const maxConnections = 5000;

export interface RunningServer {
  /** URL of the server, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Whether the server also serves the web console. */
  hasConsole: boolean;
  /** Starts serving and background work. The caller must call it when the database is ready. */
  begin(): void;
  /**
   * Shuts down. Immediately reports "not ready", but still accepts requests for `DRAIN_DELAY_MS`. Then waits for running
   * requests, and ends the remaining ones 24 s after the call. Waits at most 18 s for background work.
   */
  close(): Promise<void>;
}

/** Start mode and limits of a server. */
export interface ServerOptions {
  /** If false, the API answers 503 until {@link RunningServer.begin}. */
  ready?: boolean;
  /** Maximum time for requests and background work during a shutdown, in milliseconds. */
  drainMs?: number;
  deadlines?: Partial<Deadlines>;
  /** Maximum waiting time of requests in the queue. */
  queueWaitMs?: NonNullable<RequestLimits['waitMs']>;
  /** Time for which the connection of a refused request isn't read, in milliseconds. */
  refusedPauseMs?: number;
  /** Folder of the built web console; by default the output folder of `npm run build`. */
  consoleFolder?: string;
}

/** Creates a function that refuses requests without reading them, because cheap refusals leave time for other requests. */
function refusal({ config }: Context, onRefused: () => void) {
  const body = JSON.stringify({ error: messageOf('OVERLOADED') });
  const headers = {
    ...Object.fromEntries(headersOf(securityHeaders())),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [codeHeader]: 'OVERLOADED',
    'Retry-After': retryAfterOf('OVERLOADED') ?? 1,
  };
  // Node writes a flat list of headers fastest.
  const flatHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  // Without CORS headers, browser clients couldn't read the code.
  const cors = corsMiddleware(config.http.allowedOrigins);
  return (request: IncomingMessage, response: ServerResponse) => {
    const send = () => {
      response.writeHead(503, [...flatHeaders, 'X-Request-Id', randomUUID()]).end(body);
      onRefused();
    };
    if (request.headers.origin === undefined) send();
    // This middleware uses only features of Node's own classes, so it doesn't need Express' objects.
    else cors(request as Request, response as Response, send);
  };
}

function limitConnections(server: Server): void {
  server.headersTimeout = 10_000;
  // The JSON reader has a shorter limit for its bodies.
  server.requestTimeout = requestTimeoutMs;
  // Longer than load balancers keep idle connections. So a load balancer never sends a request on a connection that is
  // closing.
  server.keepAliveTimeout = 75_000;
  // Disables the maximum count of headers, which would silently drop the last ones, such as a proxy's X-Forwarded-For. Node
  // limits the size of all headers to 16 KiB.
  server.maxHeadersCount = 0;
}

/** Background work: imports, mails, waiting lists and housekeeping. */
function backgroundWork(context: Context) {
  let importWorker: ImportWorker | undefined;
  let sender: MailSender | undefined;
  let promoter: Promoter | undefined;
  let housekeeping: ReturnType<typeof startHousekeeping> | undefined;
  return {
    begin() {
      importWorker = startImportWorker(context);
      sender = startMailSender(context);
      promoter = startPromoter(context);
      housekeeping = startHousekeeping(context);
    },
    wakeImports: () => importWorker?.wake(),
    // A running import stops after its current row, and is resumed later.
    close: () => Promise.all([importWorker?.close(), sender?.close(), promoter?.close(), housekeeping?.close()]),
  };
}

/** Stops accepting connections after a delay, and waits for the end of all connections. */
async function drain(connections: Connections, delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs);
  await connections.end();
}

/** Waits for work, but no longer than the given time. */
async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const finished = new AbortController();
  // `sleep` fails only when it is aborted below, and its result is no longer needed.
  const timeout = sleep(milliseconds, undefined, { signal: finished.signal }).catch(() => undefined);
  await Promise.race([work, timeout]).finally(() => finished.abort());
}

/** Serves the API on the configured address. @throws AppError `PORT_UNAVAILABLE` */
export async function startServer(
  context: Context,
  {
    ready = true,
    drainMs = longestDrainMs,
    deadlines,
    queueWaitMs,
    refusedPauseMs = defaultRefusedPauseMs,
    consoleFolder,
  }: ServerOptions = {},
): Promise<RunningServer> {
  let state: 'waiting' | 'serving' | 'draining' = 'waiting';
  const work = backgroundWork(context);
  const pendingWork = new Set<Promise<void>>();
  const { host, port: wantedPort, maxInFlight, drainDelayMs, connectionsPerAddress, minBodyRate } = context.config.http;
  const refuse = refusal(context, () => metrics.refusals.requestRefused());
  const requests = createRequestLimiter({
    maxConcurrent: maxInFlight,
    networkOf: (request) => networkOf(addressOf(request, isProxy)),
    isFailure: isServiceFailure,
    refuse(request, response) {
      refuse(request, response);
      if (state === 'serving') connections.pauseReadingAfter(request, refusedPauseMs);
    },
    onRefusals: (count) => context.logger.warn({ count }, 'busy: requests were refused'),
    ...(queueWaitMs && { waitMs: queueWaitMs }),
  });
  const abortedRequests = countPerSecond((count) =>
    context.logger.warn({ count }, 'requests were ended because their clients were too slow'),
  );
  const closedConnections = countPerSecond((count) =>
    context.logger.warn({ count }, 'connections were closed: there were too many'),
  );
  const onAbort = () => {
    abortedRequests.add();
    metrics.refusals.requestCut();
  };
  const clients = createClientLimiter({ maxConcurrent: maxInFlight, minBytesPerSecond: minBodyRate, onAbort });
  const consolePages = context.config.http.webConsole ? serveConsole(context.config, consoleFolder) : undefined;
  const load = () => ({
    ...requests.load(),
    waiting: { ...clients.load(), hashes: context.hasher.waiting() },
    connections: connections.count(),
  });
  const metrics = createMetrics(context, load);
  const app = createApp(
    context,
    {
      metrics,
      isDraining: () => state === 'draining',
      listensOnLoopback: () => isLoopback(hostname),
      notReadyError: () => (state === 'waiting' ? new AppError('NOT_READY') : undefined),
      wakeImports: work.wakeImports,
      async finishBeforeShutdown(promise) {
        pendingWork.add(promise);
        await promise.finally(() => pendingWork.delete(promise));
      },
      limiters: { requests, clients, costlyWork: createCostlyWork() },
      load,
      ...(deadlines && { deadlines }),
    },
    consolePages,
  );
  const server = createServer({ connectionsCheckingInterval: checkEveryMs }, (request, response) => {
    if (state === 'draining') response.setHeader('Connection', 'close');
    connections.track(request, response, () => requests.admit(request, response, () => app(request, response)));
  });
  const isProxy = trustOf(app);
  const connections = trackConnections(server, {
    total: maxConnections,
    perAddress: connectionsPerAddress,
    isTrusted: (address) => isProxy(address, 0),
    onClosed() {
      closedConnections.add();
      metrics.refusals.connectionClosed();
    },
  });
  limitConnections(server);
  const { address, port, family } = await listen(server, host, wantedPort);
  const hostname = family === 'IPv6' ? `[${address}]` : address;
  const begin = () => {
    state = 'serving';
    work.begin();
  };
  if (ready) begin();
  return {
    url: `http://${hostname}:${port}`,
    hasConsole: consolePages !== undefined,
    begin,
    async close() {
      // A server that was never ready has no requests to drain.
      const delayMs = state === 'serving' ? drainDelayMs : 0;
      state = 'draining';
      const cutTimer = setTimeout(() => server.closeAllConnections(), drainMs);
      await Promise.all([drain(connections, delayMs), waitAtMost(Math.min(drainMs, longestWorkMs), work.close())]);
      clearTimeout(cutTimer);
      // The code that started the work reports its failures.
      await Promise.allSettled(pendingWork);
    },
  };
}
