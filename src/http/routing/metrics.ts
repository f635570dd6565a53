import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { AppError, databaseUnusableCodes, isAppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import { isMailSetUp } from '../../services/mail/outbox.js';
import { type MailStatistics, mailStatistics } from '../../services/mail/queries.js';
import type { Operation } from '../api/operation.js';
import type { RequestLoad } from '../overload/requests.js';
import { bearerToken } from './caller.js';

/** The current load of a service. */
export interface Load extends RequestLoad {
  waiting: Record<'bodies' | 'uploads' | 'responses' | 'hashes', number>;
  connections: number;
}

/** What the server refuses or ends by itself. */
interface Refusals {
  /** A request was answered 503, because the service was busy. */
  requestRefused(): void;
  /** A request was ended, because its client kept it waiting. */
  requestCut(): void;
  /** A connection was closed, because there were too many, or too many requests on it. */
  connectionClosed(): void;
}

/** Figures for Prometheus: of the process, of requests by operation and status, of the database's connections. */
export interface Metrics {
  /** Counts and times requests. */
  middleware: RequestHandler;
  /** Counts what the server refuses or ends by itself. */
  refusals: Refusals;
  /** All figures, as text. */
  text(): Promise<string>;
  contentType: string;
}

/** What the service is doing at the moment. */
function addLoadGauges(registry: Registry, load: () => Load): void {
  new Gauge({
    name: 'coursectl_requests',
    help: 'Requests being processed or queued, and those refused in the last second',
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
    help: 'Requests that wait for their clients (bodies, uploads, responses), and hashes of passwords that wait for a core',
    labelNames: ['for'],
    registers: [registry],
    collect() {
      for (const [what, count] of Object.entries(load().waiting)) this.set({ for: what }, count);
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

/** The figures of mails; nothing while the database can't be used, when the other figures still count. */
async function readMailFigures(context: Context): Promise<MailStatistics | undefined> {
  try {
    return await mailStatistics(context);
  } catch (error) {
    if (!isAppError(error, ...databaseUnusableCodes)) throw error;
    return undefined;
  }
}

function addMailGauges(registry: Registry, context: Context): void {
  // Both gauges are collected at once.
  let reading: Promise<MailStatistics | undefined> | undefined;
  const read = () => {
    reading ??= readMailFigures(context).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'coursectl_mails',
    help: 'Mails that are queued or deferred, and those of the last 24 hours that were sent or have failed',
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
    help: 'Age of the oldest mail that waits; 0 for none',
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
    requestRefused: counter('requests_refused', 'Requests answered 503 unread, because too many others were waiting'),
    requestCut: counter('requests_cut', 'Requests ended because their clients kept them waiting'),
    connectionClosed: counter(
      'connections_closed',
      'Connections closed because there were too many, or too many requests on one',
    ),
  };
}

/** The figures of one service, counted from now on. */
export function createMetrics(context: Context, load?: () => Load): Metrics {
  const { database } = context;
  const registry = new Registry();
  // They tell whether a mail has left, and so whether an address has an account.
  if (isMailSetUp(context) && context.config.http.metricsToken !== undefined) addMailGauges(registry, context);
  if (load) addLoadGauges(registry, load);
  let hasDefaultMetrics = false;
  const labelNames = ['method', 'path', 'status'] as const;
  const durations = new Histogram({
    name: 'coursectl_http_request_duration_seconds',
    help: 'How long requests took, by operation and status; "aborted" where the response was not sent whole',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const aborted = new Counter({
    name: 'coursectl_http_requests_aborted_total',
    help: 'Requests that ended before their response was sent whole, mostly because their client left',
    registers: [registry],
  });
  new Gauge({
    name: 'coursectl_database_connections',
    help: 'Connections to the database, by what they do',
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
      // It costs time from then on: only where metrics are read.
      if (!hasDefaultMetrics) collectDefaultMetrics({ register: registry });
      hasDefaultMetrics = true;
      return registry.metrics();
    },
    middleware(request, response: Response<unknown, { operation?: Operation }>, next) {
      const startedAt = performance.now();
      response.once('close', () => {
        const isAborted = !response.writableFinished;
        if (isAborted) aborted.inc();
        // The path as the contract has it: what clients send would make figures without end.
        const path = response.locals.operation?.path ?? 'none';
        const method = response.locals.operation ? request.method : 'any';
        const seconds = (performance.now() - startedAt) / 1000;
        // A status that was set but not sent says nothing about the operation.
        durations.observe({ method, path, status: isAborted ? 'aborted' : response.statusCode }, seconds);
      });
      next();
    },
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** @throws AppError `TOKEN_MISSING`, `TOKEN_INVALID` unless the figures are open, or asked for with their token */
export function assertMayRead({ config }: Context, authorization: string | undefined): void {
  const { metricsToken } = config.http;
  if (metricsToken === undefined) return;
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('TOKEN_MISSING');
  if (!timingSafeEqual(digest(token), digest(metricsToken))) throw new AppError('TOKEN_INVALID');
}
