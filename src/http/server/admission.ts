import type { IncomingMessage, ServerResponse } from 'node:http';
import { countPerSecond } from './per-second.js';
import { createQueueControl, createRunningClock, type QueueLimits } from './queue-control.js';

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

/** Probes are always answered: otherwise an orchestrator would restart an overloaded service. */
const isProbe = ({ url = '' }: IncomingMessage) => /^\/(health|ready)z(\?|$)/.test(url);

interface Waiting {
  begin(): void;
  refuse(): void;
  since: number;
}

/**
 * Bounds the requests under way, so that throughput holds under overload. How long others wait: queue-control.ts.
 * @param refuse answers a refused request, as cheaply as possible
 */
export function createAdmission(
  { maxConcurrent, isFailure, onRefusals, limits }: AdmissionOptions,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Admission {
  const control = createQueueControl(maxConcurrent, limits);
  const clock = createRunningClock(longestPauseMs);
  const refused = countPerSecond((count) => onRefusals?.(count));
  const state = new WeakMap<ServerResponse, 'working' | 'released'>();
  const waits = new WeakMap<ServerResponse, number>();
  /** The first of a burst, and behind them the others. */
  const [first, others]: [Waiting[], Waiting[]] = [[], []];
  let working = 0;
  let isWatched = false;
  let isStarting = false;

  const hasFreeSlot = () => working < maxConcurrent;
  const queued = () => first.length + others.length;

  function startNext(): void {
    isStarting = false;
    while (hasFreeSlot()) {
      const next = first.shift() ?? others.shift();
      if (!next) return;
      control.began(clock());
      next.begin();
    }
  }

  /** Later, outside the work of another request: all free slots are filled together. */
  function startSoon(): void {
    if (isStarting || queued() === 0) return;
    isStarting = true;
    setImmediate(startNext);
  }

  /** Refuses the requests, oldest first, that have waited this long. */
  function expireIn(queue: Waiting[], now: number, longestMs: number): void {
    while (queue[0] && now - queue[0].since >= longestMs) queue.shift()?.refuse();
  }

  function expire(): void {
    const now = clock();
    const longest = control.longestWait(now);
    expireIn(first, now, longest.first);
    expireIn(others, now, longest.others);
  }

  function watch(): void {
    expire();
    isWatched = queued() > 0;
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
    if (state.get(response) === 'working') working -= 1;
    state.delete(response);
    noteOutcome(response);
    startSoon();
  }

  function start(response: ServerResponse, begin: () => void): void {
    working += 1;
    state.set(response, 'working');
    response.once('close', () => leave(response));
    begin();
  }

  return {
    admit(request, response, begin) {
      if (isProbe(request)) return begin();
      if (hasFreeSlot() && queued() === 0) return start(response, begin);
      const [since, cameAt] = [clock(), performance.now()];
      if (queued() === 0) control.emptied(since);
      if (!control.mayJoin(since, others.length)) return refuseRequest(request, response);
      const gone = () => response.destroyed || request.destroyed;
      const waiting = {
        since,
        begin() {
          if (gone()) return;
          waits.set(response, performance.now() - cameAt);
          start(response, begin);
        },
        refuse: () => void (gone() || refuseRequest(request, response)),
      };
      const isFirst = control.joined();
      // First come, first served.
      (isFirst && others.length === 0 ? first : others).push(waiting);
      if (!isWatched) setTimeout(watch, expireEveryMs);
      isWatched = true;
    },

    release(response) {
      if (state.get(response) !== 'working') return;
      state.set(response, 'released');
      working -= 1;
      startSoon();
    },

    reacquire(response) {
      if (state.get(response) !== 'released') return;
      state.set(response, 'working');
      working += 1;
    },

    waitedMs: (response) => waits.get(response) ?? 0,

    figures: () => ({ working, queued: queued(), turnedAway: refused.recent() }),
  };
}
