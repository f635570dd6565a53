import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFairQueue, type QueueEntry } from '../../fair-queue.js';

/** Whether the URL of a request is that of a health check, which comes every few seconds. */
export const isProbe = (url = ''): boolean => /^\/(health|ready)z(\?|$)/.test(url);

/** Whether a monitor asks, for health or for figures: their responses are shared, and need no slot. */
const isPolled = (url = ''): boolean => isProbe(url) || /^\/metrics(\/|\?|$)/.test(url);

/**
 * Counts what happens often under load by the second.
 * @param report told at the end of each second in which there were any
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
    /** The count of this second or the last one, whichever is larger. */
    recent: () => Math.max(count, last),
  };
}

/** Bounds how many requests are processed concurrently; the others wait in a queue or are refused. */
export interface RequestLimiter {
  /** Begins the request immediately, queues it, or refuses it. */
  admit(request: IncomingMessage, response: ServerResponse, begin: () => void): void;
  /** Releases the request's slot while it waits for its client, or in another queue. */
  release(response: ServerResponse): void;
  /** Takes a slot again for a released request, immediately: it has been admitted already. */
  reacquire(response: ServerResponse): void;
  /** How long the request has waited in the queue, in milliseconds. */
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
  /** The network that a request comes from. */
  networkOf(request: IncomingMessage): string;
  /** Whether a response says that requests aren't being served. */
  isFailure(response: ServerResponse): boolean;
  /** Answers a refused request, as cheaply as possible. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** Receives the number of refusals of each second that had any. */
  onRefusals(count: number): void;
  /** How long requests may wait; instead of {@link adaptiveWaitMs} in tests. */
  waitMs?: typeof adaptiveWaitMs;
}

/**
 * A queue that was empty lately is a burst, which is served whole; one that no longer empties is overload, in which waiting
 * helps nobody (as CoDel tells them apart, RFC 8289).
 */
export const adaptiveWaitMs = (sinceEmptyMs: number): number => (sinceEmptyMs < 5000 ? 20_000 : 500);

/** At least, and for each concurrent request: waiting costs memory only. */
const [minQueued, queuedPerSlot] = [1000, 100];
/** While others come, a network has this part of the slots: with twice as many slots as database connections, others find one. */
const shareOfSlots = 0.25;
/** After so many failures in a row those that wait are refused: without a database all would fail, each later than the last. */
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

  /** A request that its client aborted says nothing about the service. */
  function noteOutcome(response: ServerResponse): void {
    if (!response.writableFinished) return;
    failures = isFailure(response) ? failures + 1 : 0;
    if (failures === maxFailuresInRow) queue.refuseWaiting();
  }

  return {
    admit(request, response, begin) {
      // Always answered: otherwise an orchestrator would restart an overloaded service.
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
