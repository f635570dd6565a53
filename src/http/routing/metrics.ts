import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { AppError, databaseUnavailableCodes, isAppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import { isMailSetUp } from '../../services/mail/outbox.js';
import { type MailStatistics, mailStatistics } from '../../services/mail/queries.js';
import type { Operation } from '../api/operation.js';
import type { RequestLoad } from '../overload/requests.js';
import { bearerToken } from './caller.js';

export interface Load extends RequestLoad {
  waiting: Record<'bodies' | 'uploads' | 'responses' | 'hashes', number>;
  connections: number;
}

/** Counters of requests and connections that the server refuses or ends. */
interface Refusals {
  /** Counts a request that got 503 because the service was busy. */
  requestRefused(): void;
  /** Counts a request that was ended because of its slow client. */
  requestCut(): void;
  /** Counts a connection that was closed because of too many connections, or too many requests on it. */
  connectionClosed(): void;
}

/** Metrics for Prometheus: process, requests by operation and status, database connections. */
export interface Metrics {
  /** Counts requests, and measures their duration. */
  middleware: RequestHandler;
  refusals: Refusals;
  /** Returns all metrics as text. */
  text(): Promise<string>;
  contentType: string;
}

function addLoadGauges(registry: Registry, load: () => Load): void {
  new Gauge({
    name: 'coursectl_requests',
    help: 'Requests being processed or queued, and requests refused in the last second',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { working, queued, turnedAway } = load();
      this.set({ state: 'working' }, working);
      this.set({ state: 'queued' }, queued);
      this.set({ state: 'turned_away' }, turnedAway);
    },
  });
  new Gauge({
    name: 'coursectl_requests_waiting',
    help: 'Requests waiting for their clients (bodies, uploads, responses), and password hashes waiting for a core',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      for (const [reason, count] of Object.entries(load().waiting)) this.set({ for: reason }, count);
    },
  });
  new Gauge({
    name: 'coursectl_connections',
    help: 'Connections of clients',
    registers: [registry],
    collect() {
      this.set(load().connections);
    },
  });
}

/** Reads the figures of mails; undefined while the database is unusable, so that the other metrics still work. */
async function readMailFigures(context: Context): Promise<MailStatistics | undefined> {
  try {
    return await mailStatistics(context);
  } catch (error) {
    if (!isAppError(error, ...databaseUnavailableCodes)) throw error;
    return undefined;
  }
}

function addMailGauges(registry: Registry, context: Context): void {
  // Prometheus collects both gauges together, so they share a read.
  let reading: Promise<MailStatistics | undefined> | undefined;
  const read = () => {
    reading ??= readMailFigures(context).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'coursectl_mails',
    help: 'Queued and deferred mails, and mails that were sent or failed in the last 24 hours',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const figures = await read();
      this.reset();
      for (const [state, count] of Object.entries(figures?.counts ?? {})) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'coursectl_mail_oldest_seconds',
    help: 'Age of the oldest waiting mail; 0 without waiting mails',
    registers: [registry],
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.oldestSeconds ?? 0);
      else this.remove();
    },
  });
}

function addRefusalCounters(registry: Registry): Refusals {
  const counter = (name: string, help: string) => {
    const total = new Counter({ name: `coursectl_${name}_total`, help, registers: [registry] });
    return () => total.inc();
  };
  return {
    requestRefused: counter(
      'requests_refused',
      'Requests refused with 503 before they were read, because too many requests were waiting',
    ),
    requestCut: counter('requests_cut', 'Requests ended because their clients were too slow'),
    connectionClosed: counter(
      'connections_closed',
      'Connections closed because there were too many, or too many requests on one',
    ),
  };
}

/** Creates the metrics of one service; all counters begin at 0. */
export function createMetrics(context: Context, load?: () => Load): Metrics {
  const { database } = context;
  const registry = new Registry();
  // Public mail metrics would show whether a mail was sent, and therefore whether an address has an account.
  if (isMailSetUp(context) && context.config.http.metricsToken !== undefined) addMailGauges(registry, context);
  if (load) addLoadGauges(registry, load);
  let hasDefaultMetrics = false;
  const labelNames = ['method', 'path', 'status'] as const;
  const durations = new Histogram({
    name: 'coursectl_http_request_duration_seconds',
    help: 'Duration of requests by operation and status; "aborted" if the response was not sent completely',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const aborted = new Counter({
    name: 'coursectl_http_requests_aborted_total',
    help: 'Requests that ended before their response was sent completely, usually because the client left',
    registers: [registry],
  });
  new Gauge({
    name: 'coursectl_database_connections',
    help: 'Connections to the database by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const pool = database.pool();
      this.set({ state: 'open' }, pool.size);
      this.set({ state: 'in_use' }, pool.using);
      this.set({ state: 'waited_for' }, pool.waiting);
    },
  });
  return {
    refusals: addRefusalCounters(registry),
    contentType: registry.contentType,
    text() {
      // Default metrics cost time continuously, so their collection begins with the first read.
      if (!hasDefaultMetrics) collectDefaultMetrics({ register: registry });
      hasDefaultMetrics = true;
      return registry.metrics();
    },
    middleware(request, response: Response<unknown, { operation?: Operation }>, next) {
      const startedAt = performance.now();
      response.once('close', () => {
        const isAborted = !response.writableFinished;
        if (isAborted) aborted.inc();
        // Uses the path of the contract, because paths of clients would create unlimited time series.
        const path = response.locals.operation?.path ?? 'none';
        const method = response.locals.operation ? request.method : 'any';
        const seconds = (performance.now() - startedAt) / 1000;
        // An aborted response may have a status that was never sent.
        durations.observe({ method, path, status: isAborted ? 'aborted' : response.statusCode }, seconds);
      });
      next();
    },
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Checks the metrics token if one is configured. @throws AppError `TOKEN_MISSING`, `TOKEN_INVALID` */
export function assertMayRead({ config }: Context, authorization: string | undefined): void {
  const { metricsToken } = config.http;
  if (metricsToken === undefined) return;
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('TOKEN_MISSING');
  if (!timingSafeEqual(digest(token), digest(metricsToken))) throw new AppError('TOKEN_INVALID');
}
