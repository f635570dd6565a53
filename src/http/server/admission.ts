import type { IncomingMessage, ServerResponse } from 'node:http';
import { countPerSecond } from './per-second.js';
import { isProbe } from './probes.js';
import { createQueueControl, createRunningClock, type QueueLimits } from './queue-control.js';
import { RequestQueue } from './request-queue.js';

/** Bounds how many requests are processed concurrently; the others wait in a queue or are refused. */
export interface Admission {
  /** Begins the request immediately, queues it, or refuses it. */
  admit(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /** Releases the request's slot while it waits for its client, or in another bounded queue. */
  release(response: ServerResponse): void;
  /** Takes a slot again for a released request, immediately: it has been admitted already. */
  reacquire(response: ServerResponse): void;
  /** How long the request has waited in the queue, in milliseconds. */
  waitedMs(response: ServerResponse): number;
  /** The current load. */
  figures(): AdmissionFigures;
}

export interface AdmissionFigures {
  /** Requests being processed. */
  working: number;
  /** Requests in the queue. */
  queued: number;
  /** Requests refused in the last full second. */
  turnedAway: number;
}

/** The bounds of admission. */
export interface AdmissionOptions {
  /** Maximum number of requests processed concurrently. */
  maxConcurrent: number;
  /** The network that a request comes from: networks are served round robin. */
  networkOf(request: IncomingMessage): string;
  /** Whether a response says that requests aren't being served. */
  isFailure(response: ServerResponse): boolean;
  /** Receives the number of refusals of each second that had any. */
  onRefusals?(count: number): void;
  limits?: Partial<QueueLimits>;
}

/** How often expired requests are removed from the queue, in milliseconds. */
const expireEveryMs = 50;
/** A pause of the process counts as this long: ten times as long as between two looks at the queue. */
const longestPauseMs = 10 * expireEveryMs;

/** Requests for metrics don't count as another network: no connections are reserved for them. */
const isMonitoring = ({ url = '' }: IncomingMessage) => /^\/metrics(\/|\?|$)/.test(url);

/**
 * While requests come from several networks, each may have this part of the slots. There are about twice as many slots as
 * connections to the database, so others find connections whatever one network asks for.
 */
const shareOfSlots = 0.25;
/** How long requests of a network count as coming, in milliseconds. */
const comingMs = 60_000;

/** The last two networks that requests have come from. */
function createArrivals() {
  const none = { network: '', at: Number.NEGATIVE_INFINITY };
  let [last, before] = [none, none];
  return {
    note(network: string, at: number): void {
      if (network !== last.network) before = last;
      last = { network, at };
    },
    /** Whether requests of another network have come lately. */
    hasOthers(network: string, now: number): boolean {
      const other = last.network === network ? before : last;
      return now - other.at < comingMs;
    },
  };
}

/**
 * Bounds the requests under way, so that throughput holds under overload. How long others wait: queue-control.ts; in which
 * order: request-queue.ts.
 * @param refuse answers a refused request, as cheaply as possible
 */
export function createAdmission(
  { maxConcurrent, networkOf, isFailure, onRefusals, limits }: AdmissionOptions,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Admission {
  const control = createQueueControl(maxConcurrent, limits);
  const clock = createRunningClock(longestPauseMs);
  const refused = countPerSecond((count) => onRefusals?.(count));
  const state = new WeakMap<ServerResponse, { network: string; isWorking: boolean }>();
  const waits = new WeakMap<ServerResponse, number>();
  const queue = new RequestQueue();
  const arrivals = createArrivals();
  const maxEach = Math.max(1, Math.floor(maxConcurrent * shareOfSlots));
  /** Requests that are being processed, in all and by network. */
  let working = 0;
  const workingOf = new Map<string, number>();
  let isWatched = false;
  let isStarting = false;

  const hasFreeSlot = () => working < maxConcurrent;

  function mayBegin(network: string): boolean {
    return (workingOf.get(network) ?? 0) < maxEach || !arrivals.hasOthers(network, performance.now());
  }

  /** A slot more or less that a network has. */
  function count(network: string, change: 1 | -1): void {
    working += change;
    const own = (workingOf.get(network) ?? 0) + change;
    if (own > 0) workingOf.set(network, own);
    else workingOf.delete(network);
  }

  function startNext(): void {
    isStarting = false;
    while (hasFreeSlot()) {
      const next = queue.take(mayBegin);
      if (!next) return;
      control.began(clock());
      next.request.begin();
    }
  }

  /** Later, outside the work of another request: all free slots are filled together. */
  function startSoon(): void {
    if (isStarting || queue.length === 0) return;
    isStarting = true;
    setImmediate(startNext);
  }

  /** Refuses the requests that have waited for too long. */
  function expire(): void {
    const now = clock();
    for (const late of queue.expire(now, control.longestWait(now))) late.refuse();
  }

  function watch(): void {
    expire();
    isWatched = queue.length > 0;
    if (isWatched) setTimeout(watch, expireEveryMs);
  }

  function refuseRequest(request: IncomingMessage, response: ServerResponse): void {
    refused.add();
    refuse(request, response);
  }

  /** A request that its client aborted says nothing about the service. */
  function noteOutcome(response: ServerResponse): void {
    if (response.writableFinished && control.answered(clock(), isFailure(response))) expire();
  }

  function leave(response: ServerResponse): void {
    const own = state.get(response);
    if (own?.isWorking) count(own.network, -1);
    state.delete(response);
    noteOutcome(response);
    startSoon();
  }

  function start(network: string, response: ServerResponse, begin: () => void): void {
    count(network, 1);
    state.set(response, { network, isWorking: true });
    response.once('close', () => leave(response));
    begin();
  }

  return {
    admit(request, response, begin) {
      // Always answered: otherwise an orchestrator would restart an overloaded service.
      if (isProbe(request.url)) return begin();
      const network = networkOf(request);
      const cameAt = performance.now();
      if (!isMonitoring(request)) arrivals.note(network, cameAt);
      if (hasFreeSlot() && mayBegin(network) && !queue.has(mayBegin)) return start(network, response, begin);
      const since = clock();
      if (queue.length === 0) control.emptied(since);
      if (!control.mayJoin(since, queue.others)) {
        const other = queue.giveWay(network);
        if (!other) return refuseRequest(request, response);
        other.refuse();
      }
      const gone = () => response.destroyed || request.destroyed;
      const waiting = {
        since,
        begin() {
          if (gone()) return;
          waits.set(response, performance.now() - cameAt);
          start(network, response, begin);
        },
        refuse: () => void (gone() || refuseRequest(request, response)),
      };
      queue.add(network, waiting, control.joined());
      if (hasFreeSlot()) startSoon();
      if (!isWatched) setTimeout(watch, expireEveryMs);
      isWatched = true;
    },

    release(response) {
      const own = state.get(response);
      if (!own?.isWorking) return;
      own.isWorking = false;
      count(own.network, -1);
      startSoon();
    },

    reacquire(response) {
      const own = state.get(response);
      if (!own || own.isWorking) return;
      own.isWorking = true;
      count(own.network, 1);
    },

    waitedMs: (response) => waits.get(response) ?? 0,

    figures: () => ({ working, queued: queue.length, turnedAway: refused.recent() }),
  };
}
