import type { IncomingMessage, ServerResponse } from 'node:http';
import { countPerSecond } from './per-second.js';

/** How many requests the service works on, and what becomes of the others. */
export interface Admission {
  /** Begins the request now or in a moment, or turns it away. */
  admit(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /**
   * What is left of the request depends on its client (a body that comes, an answer that is taken) or on a queue that has
   * its own bound: it keeps no other one waiting meanwhile.
   */
  standAside(response: ServerResponse): void;
  /** There is work to do on the request again. */
  comeBack(response: ServerResponse): void;
  /** What is going on. */
  figures(): AdmissionFigures;
}

export interface AdmissionFigures {
  /** Requests that are worked on. */
  working: number;
  /** Requests that wait for their turn. */
  queued: number;
  /** Requests turned away in the last second that is over. */
  turnedAway: number;
}

/** How long requests may wait for their turn. */
export interface QueueLimits {
  /** So many of a burst are served however long that takes, as long as others are served meanwhile. */
  burst: number;
  /** A queue that was empty so lately is a burst: the others may wait as long. Milliseconds. */
  burstMs: number;
  /** How long a request waits in a queue that doesn't get empty any more, in milliseconds. */
  standingMs: number;
  /** Without an answer for so long, nothing is served: nobody is kept waiting for that. Milliseconds. */
  stuckMs: number;
}

/** How many are admitted. */
export interface AdmissionOptions {
  /** How many requests are worked on at once. */
  atOnce: number;
  /** Told how many were turned away in the last second in which any were. */
  onRefusals?(count: number): void;
  limits?: Partial<QueueLimits>;
}

const defaults: QueueLimits = { burst: 200, burstMs: 5000, standingMs: 500, stuckMs: 3000 };

/** How many wait in a queue that doesn't get empty any more, for each that is worked on. */
const standingEach = 10;
/** How many wait in a burst, for each that is worked on: they cost memory alone. */
const burstEach = 100;
/** So many failures in a row are no accident. */
const failuresInRow = 3;
/** How often it is looked who has waited for too long, in milliseconds. */
const lookEveryMs = 50;

/** An orchestrator that is not answered would end a service that has more than enough to do. */
const isProbe = ({ url = '' }: IncomingMessage) => /^\/(health|ready)z(\?|$)/.test(url);

interface Waiting {
  begin(): void;
  refuse(): void;
  since: number;
}

/**
 * Bounds the requests under way: goodput holds only while what can't be done in time isn't begun. A burst is told from
 * lasting overload as CoDel does it (RFC 8289): a queue may be long as long as it was empty lately.
 * @param refuse answers a request that is turned away, as cheaply as can be
 */
export function createAdmission(
  { atOnce, onRefusals, limits }: AdmissionOptions,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Admission {
  const { burst, burstMs, standingMs, stuckMs } = { ...defaults, ...limits };
  const refused = countPerSecond((count) => onRefusals?.(count));
  const state = new WeakMap<ServerResponse, 'working' | 'aside'>();
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

  const hasRoom = () => working < atOnce;
  const queued = () => first.length + others.length;

  const isServing = (now: number) => failures < failuresInRow && now - Math.max(servedAt, emptyAt) < stuckMs;
  const isBurst = (now: number) => isServing(now) && now - emptyAt < burstMs;

  function startNext(): void {
    isStarting = false;
    while (hasRoom()) {
      const next = first.shift() ?? others.shift();
      if (!next) return;
      next.begin();
    }
  }

  /** Not at once, within the work of another request: all that have room now are started together. */
  function startSoon(): void {
    if (isStarting || queued() === 0) return;
    isStarting = true;
    setImmediate(startNext);
  }

  /** Turns those away, the oldest first, who have waited for so long. */
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
    if (isWatched) setTimeout(watch, lookEveryMs);
  }

  function turnAway(request: IncomingMessage, response: ServerResponse): void {
    refused.add();
    refuse(request, response);
  }

  /** A request that its client has left tells nothing. */
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

  /** Whether there is room for one more in the queue. */
  function mayWait(now: number): boolean {
    if (queued() === 0) [emptyAt, waitedSince, failures] = [now, 0, 0];
    if (waitedSince < burst && isServing(now)) return true;
    return others.length < (isBurst(now) ? burstEach : standingEach) * atOnce;
  }

  return {
    admit(request, response, begin) {
      if (isProbe(request)) return begin();
      if (hasRoom() && queued() === 0) return start(response, begin);
      const since = performance.now();
      if (!mayWait(since)) return turnAway(request, response);
      const gone = () => response.destroyed || request.destroyed;
      const waiting = {
        since,
        begin: () => void (gone() || start(response, begin)),
        refuse: () => void (gone() || turnAway(request, response)),
      };
      waitedSince += 1;
      // Who comes later is never served before who waits already.
      (waitedSince <= burst && others.length === 0 ? first : others).push(waiting);
      if (!isWatched) setTimeout(watch, lookEveryMs);
      isWatched = true;
    },

    standAside(response) {
      if (state.get(response) !== 'working') return;
      state.set(response, 'aside');
      working -= 1;
      startSoon();
    },

    comeBack(response) {
      if (state.get(response) !== 'aside') return;
      // It has been let in already: it isn't asked to wait again.
      state.set(response, 'working');
      working += 1;
    },

    figures: () => ({ working, queued: queued(), turnedAway: refused.recent() }),
  };
}
