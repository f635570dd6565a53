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

/** How long requests may still take when the service was told to stop, in milliseconds: it ends within 25 s. */
const longestDrainMs = 24_000;
/** Shorter for work in the background: closing a database that is out of reach takes up to 6 s more. */
const longestWorkMs = 18_000;

/**
 * A refused client is told to come back after 2 s, and the connection of one that asks again before isn't read until then: to
 * refuse it again and again would take the time of those who are served. Milliseconds.
 */
const defaultRefusedPauseMs = 2000;

/** How long a whole request may take to arrive, in milliseconds: uploads take their time. */
export const requestTimeoutMs = 10 * 60_000;

/** How often Node checks the time limits of connections, in milliseconds; its default of 30 s is too coarse. */
const checkEveryMs = 2000;
/** Sockets beyond these are closed: each takes memory and a descriptor. */
const maxConnections = 5000;

/** A server that listens. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Whether it serves the web console, at the same address. */
  hasConsole: boolean;
  /** There is a database: serves, and does what is to be done in the background. */
  begin(): void;
  /**
   * Not ready from now on, but still taking requests for `DRAIN_DELAY_MS`; then lets those under way finish, and cuts what is
   * left 24 s after the beginning. What is done in the background isn't waited for longer than 18 s.
   */
  close(): Promise<void>;
}

/** How a server starts, and its limits. */
export interface ServerOptions {
  /** False: answers 503 until {@link RunningServer.begin}. */
  ready?: boolean;
  /** How long requests, and what is done in the background, may take at the end, in milliseconds. */
  drainMs?: number;
  deadlines?: Partial<Deadlines>;
  /** How long requests may wait in the queue. */
  queueWaitMs?: NonNullable<RequestLimits['waitMs']>;
  /** How long the connection of a refused request isn't read, in milliseconds. */
  refusedPauseMs?: number;
  /** Where the web console was built; absent: where `npm run build` puts it. */
  consoleFolder?: string;
}

/** Refuses requests without reading them: the cheaper a refusal, the more other requests are served. */
function refusal({ config }: Context, onRefused: () => void) {
  const body = JSON.stringify({ error: messageOf('OVERLOADED') });
  const headers = {
    ...Object.fromEntries(headersOf(securityHeaders())),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    [codeHeader]: 'OVERLOADED',
    'Retry-After': retryAfterOf('OVERLOADED') ?? 1,
  };
  // As Node writes them fastest.
  const flatHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  // Without CORS headers a browser's client couldn't read the code.
  const cors = corsMiddleware(config.http.allowedOrigins);
  return (request: IncomingMessage, response: ServerResponse) => {
    const send = () => {
      response.writeHead(503, [...flatHeaders, 'X-Request-Id', randomUUID()]).end(body);
      onRefused();
    };
    if (request.headers.origin === undefined) send();
    // It needs no more of Express than what it extends.
    else cors(request as Request, response as Response, send);
  };
}

function limitConnections(server: Server): void {
  server.headersTimeout = 10_000;
  // Bodies that aren't uploads are given less by their own reader.
  server.requestTimeout = requestTimeoutMs;
  // Longer than a balancer keeps its idle connections, so that it never meets one that is just closing.
  server.keepAliveTimeout = 75_000;
  // Their 16 KiB bound them. A number would drop those behind it without a word: a proxy's X-Forwarded-For stands at the end.
  server.maxHeadersCount = 0;
}

/** The work besides requests. It begins once there is a database. */
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
    // A running import stops at its next row boundary, and is resumed later.
    close: () => Promise.all([importWorker?.close(), sender?.close(), promoter?.close(), housekeeping?.close()]),
  };
}

/** After a delay: stops taking connections, and ends when the last one has. */
async function drain(connections: Connections, delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs);
  await connections.end();
}

/** Waits for work to end, but no longer than so many milliseconds. */
async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  // It fails only where it is broken off below, when its result is no longer needed.
  const late = sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([work, late]).finally(() => over.abort());
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
    onRefusals: (count) => context.logger.warn({ count }, 'busy: requests were turned away'),
    ...(queueWaitMs && { waitMs: queueWaitMs }),
  });
  const abortedRequests = countPerSecond((count) =>
    context.logger.warn({ count }, 'requests were ended whose clients kept them waiting'),
  );
  const closedConnections = countPerSecond((count) =>
    context.logger.warn({ count }, 'connections were closed: there were too many'),
  );
  const onAbort = () => {
    abortedRequests.add();
    metrics.refusals.requestCut();
  };
  const clients = createClientLimiter({ maxConcurrent: maxInFlight, minBytesPerSecond: minBodyRate, onAbort });
  const consolePages = context.config.http.webConsole ? serveConsole(consoleFolder) : undefined;
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
      overload: { requests, clients, costlyWork: createCostlyWork() },
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
      // A server that was never ready gets no requests.
      const delayMs = state === 'serving' ? drainDelayMs : 0;
      state = 'draining';
      const cutTimer = setTimeout(() => server.closeAllConnections(), drainMs);
      await Promise.all([drain(connections, delayMs), waitAtMost(Math.min(drainMs, longestWorkMs), work.close())]);
      clearTimeout(cutTimer);
      // Failures are reported where the work was started.
      await Promise.allSettled(pendingWork);
    },
  };
}
