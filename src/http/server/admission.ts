import type { IncomingMessage, ServerResponse } from 'node:http';
import { countPerSecond } from './per-second.js';

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

/** How long requests may wait in the queue. */
export interface QueueLimits {
  /** This many requests of a burst are served however long they wait, as long as any are being served. */
  burst: number;
  /** A queue that was empty within this time is a burst, whose other requests may wait this long. Milliseconds. */
  burstMs: number;
  /** How long a request may wait once the queue no longer empties, in milliseconds. */
  standingMs: number;
  /** Without a successful response for this long, requests count as not being served. Milliseconds. */
  stuckMs: number;
}

/** The bounds of admission. */
export interface AdmissionOptions {
  /** Maximum number of requests processed concurrently. */
  maxConcurrent: number;
  /** Receives the number of refusals of each second that had any. */
  onRefusals?(count: number): void;
  limits?: Partial<QueueLimits>;
}

const defaults: QueueLimits = { burst: 200, burstMs: 5000, standingMs: 500, stuckMs: 3000 };

/** Length of a queue that no longer empties, for each concurrent request. */
const standingPerSlot = 10;
/** Length of the queue in a burst, for each concurrent request. Waiting costs memory only. */
const burstPerSlot = 100;
/** After this many failures in a row, requests count as not being served. */
const failuresInRow = 3;
/** How often expired requests are removed from the queue, in milliseconds. */
const expireEveryMs = 50;

/** Probes are always answered: otherwise an orchestrator would restart an overloaded service. */
const isProbe = ({ url = '' }: IncomingMessage) => /^\/(health|ready)z(\?|$)/.test(url);

interface Waiting {
  begin(): void;
  refuse(): void;
  since: number;
}

/**
 * Bounds the requests under way, so that throughput holds under overload. Tells a burst from lasting overload as CoDel does
 * (RFC 8289): a queue may be long if it was empty recently.
 * @param refuse answers a refused request, as cheaply as possible
 */
export function createAdmission(
  { maxConcurrent, onRefusals, limits }: AdmissionOptions,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Admission {
  const { burst, burstMs, standingMs, stuckMs } = { ...defaults, ...limits };
  const refused = countPerSecond((count) => onRefusals?.(count));
  const state = new WeakMap<ServerResponse, 'working' | 'released'>();
  const waits = new WeakMap<ServerResponse, number>();
  /** The first of a burst, and behind them the others. */
  const [first, others]: [Waiting[], Waiting[]] = [[], []];
  let working = 0;
  let isWatched = false;
  let isStarting = false;
  /** When the queue was empty last, and how many have waited since. */
  let emptyAt = 0;
  let waitedSince = 0;
  /** When a request was last answered, other than with a failure; and the failures since then. */
  let servedAt = 0;
  let failures = 0;

  const hasFreeSlot = () => working < maxConcurrent;
  const queued = () => first.length + others.length;

  const isServing = (now: number) => failures < failuresInRow && now - Math.max(servedAt, emptyAt) < stuckMs;
  const isBurst = (now: number) => isServing(now) && now - emptyAt < burstMs;

  function startNext(): void {
    isStarting = false;
    while (hasFreeSlot()) {
      const next = first.shift() ?? others.shift();
      if (!next) return;
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
    const now = performance.now();
    if (!isServing(now)) expireIn(first, now, standingMs);
    expireIn(others, now, isBurst(now) ? burstMs : standingMs);
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
  function noteOutcome({ writableFinished, statusCode }: ServerResponse): void {
    if (!writableFinished) return;
    if (statusCode < 500) {
      servedAt = performance.now();
      failures = 0;
    } else {
      failures += 1;
      if (failures === failuresInRow) expire();
    }
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

  /** Whether the queue takes one more request. */
  function mayWait(now: number): boolean {
    if (queued() === 0) [emptyAt, waitedSince, failures] = [now, 0, 0];
    if (waitedSince < burst && isServing(now)) return true;
    return others.length < (isBurst(now) ? burstPerSlot : standingPerSlot) * maxConcurrent;
  }

  return {
    admit(request, response, begin) {
      if (isProbe(request)) return begin();
      if (hasFreeSlot() && queued() === 0) return start(response, begin);
      const since = performance.now();
      if (!mayWait(since)) return refuseRequest(request, response);
      const gone = () => response.destroyed || request.destroyed;
      const waiting = {
        since,
        begin() {
          if (gone()) return;
          waits.set(response, performance.now() - since);
          start(response, begin);
        },
        refuse: () => void (gone() || refuseRequest(request, response)),
      };
      waitedSince += 1;
      // First come, first served.
      (waitedSince <= burst && others.length === 0 ? first : others).push(waiting);
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
