import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFairQueue, type QueueEntry } from '../../fair-queue.js';

/** Whether a URL is a health check, which comes every few seconds. */
export const isProbe = (url = ''): boolean => /^\/(health|ready)z(\?|$)/.test(url);

/** Whether a URL is a health check or the metrics. Their responses cost little, so these requests need no slot. */
const isPolled = (url = ''): boolean => isProbe(url) || /^\/metrics(\/|\?|$)/.test(url);

/**
 * Counts frequent events per second, for the log under load.
 * @param report called at the end of each second with events
 */
export function countPerSecond(report: (count: number) => void) {
  let count = 0;
  let last = 0;
  function endSecond(): void {
    last = count;
    count = 0;
    if (last === 0) return;
    report(last);
    setTimeout(endSecond, 1000).unref();
  }
  return {
    add() {
      if (count + last === 0) setTimeout(endSecond, 1000).unref();
      count += 1;
    },
    /** Returns the count of this second or the last second, whichever is larger. */
    recent: () => Math.max(count, last),
  };
}

/** Bounds the number of concurrent requests. Further requests wait in a queue or are refused. */
export interface RequestLimiter {
  /** Begins, queues or refuses the request. */
  admit(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /** Releases the request's slot while the request waits for its client, or in another queue. */
  release(response: ServerResponse): void;
  /** Gives a released request a slot again, without waiting because the request was admitted before. */
  reacquire(response: ServerResponse): void;
  /** Returns the time that the request has waited in the queue, in milliseconds. */
  waitedMs(response: ServerResponse): number;
  load(): RequestLoad;
}

export interface RequestLoad {
  /** Requests being processed. */
  working: number;
  /** Requests in the queue. */
  queued: number;
  /** Requests refused in the last full second. */
  turnedAway: number;
}

export interface RequestLimits {
  /** Maximum number of requests processed concurrently. */
  maxConcurrent: number;
  /** Returns the network of the request's client. */
  networkOf(request: IncomingMessage): string;
  /** Whether a response is a failure of the service. */
  isFailure(response: ServerResponse): boolean;
  /** Sends the response to a refused request, as cheaply as possible. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** Called at the end of each second with refusals. */
  onRefusals(count: number): void;
  /** Maximum waiting time; tests replace {@link adaptiveWaitMs}. */
  waitMs?: typeof adaptiveWaitMs;
}

/**
 * Returns the maximum waiting time in milliseconds. If the queue was empty recently, its requests are a burst, and all of them are
 * served. If the queue no longer empties, the service is overloaded, and waiting doesn't help (as in CoDel, RFC 8289).
 */
export const adaptiveWaitMs = (sinceEmptyMs: number): number => (sinceEmptyMs < 5000 ? 20_000 : 500);

/** Maximum queue length: at least the first number, and the second per slot. Waiting costs only memory. */
const [minQueued, queuedPerSlot] = [1000, 100];
/**
 * Part of the slots that one network may use while others are active. There are about two slots per database connection. So
 * a network uses at most half of the connections, and others find a free connection.
 */
const shareOfSlots = 0.25;
/** Failures in a row after which all waiting requests are refused: without a database, all would fail one after the other. */
const maxFailuresInRow = 3;

export function createRequestLimiter(options: RequestLimits): RequestLimiter {
  const { maxConcurrent, networkOf, isFailure, refuse, onRefusals, waitMs = adaptiveWaitMs } = options;
  const queue = createFairQueue({
    capacity: maxConcurrent,
    entries: Math.max(minQueued, queuedPerSlot * maxConcurrent),
    share: Math.max(1, Math.floor(maxConcurrent * shareOfSlots)),
    waitMs,
  });
  const entries = new WeakMap<ServerResponse, QueueEntry>();
  const waitedMsOf = new WeakMap<ServerResponse, number>();
  const refusals = countPerSecond(onRefusals);
  let failures = 0;

  /**
   * Counts failures in a row, and refuses all waiting requests after the third and each further one. Ignores requests that
   * clients have aborted.
   */
  function noteOutcome(response: ServerResponse): void {
    if (!response.writableFinished) return;
    failures = isFailure(response) ? failures + 1 : 0;
    if (failures >= maxFailuresInRow) queue.refuseWaiting();
  }

  return {
    admit(request, response, begin) {
      // Always serves these requests. Otherwise an orchestrator would restart an overloaded service.
      if (isPolled(request.url)) return begin();
      const arrivedAt = performance.now();
      const entry = queue.enter({ owner: networkOf(request) });
      entries.set(response, entry);
      let hasBegun = false;
      response.once('close', () => {
        if (hasBegun) noteOutcome(response);
        entry.leave();
      });
      const isGone = () => request.destroyed || response.destroyed;
      entry.ready.then(
        () => {
          if (isGone()) return entry.leave();
          waitedMsOf.set(response, performance.now() - arrivedAt);
          hasBegun = true;
          begin();
        },
        () => {
          if (isGone()) return;
          refusals.add();
          refuse(request, response);
        },
      );
    },
    release: (response) => entries.get(response)?.release(),
    reacquire: (response) => entries.get(response)?.reacquire(),
    waitedMs: (response) => waitedMsOf.get(response) ?? 0,
    load() {
      const { running, waiting } = queue.load();
      return { working: running, queued: waiting, turnedAway: refusals.recent() };
    },
  };
}
