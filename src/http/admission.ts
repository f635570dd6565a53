import type { IncomingMessage, ServerResponse } from 'node:http';

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
}

/** How many are admitted. */
export interface AdmissionOptions {
  /** How many requests are worked on at once. */
  atOnce: number;
  /** Told how many were turned away in the last second in which any were. */
  onRefusals?(count: number): void;
}

/** How long a request waits for its turn, in milliseconds: longer than a burst takes. */
const waitMs = 500;
/** How many wait for a turn, for each that is worked on. */
const waitingEach = 10;
/** How many may be with their clients or in another queue, for each that is worked on: they cost memory alone. */
const asideEach = 50;

/** An orchestrator that is not answered would end a service that has more than enough to do. */
const isProbe = ({ url = '' }: IncomingMessage) => /^\/(health|ready)z(\?|$)/.test(url);

interface Waiting {
  begin(): void;
  refuse(): void;
  since: number;
}

/**
 * Bounds the requests under way: goodput holds only while what can't be done in time isn't begun.
 * @param refuse answers a request that is turned away, as cheaply as can be
 */
export function createAdmission(
  { atOnce, onRefusals }: AdmissionOptions,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
): Admission {
  const state = new WeakMap<ServerResponse, 'working' | 'aside'>();
  const queue: Waiting[] = [];
  let working = 0;
  let aside = 0;
  let refused = 0;
  let isWatched = false;
  let isStarting = false;

  const hasRoom = () => working < atOnce;

  function startNext(): void {
    isStarting = false;
    while (hasRoom()) {
      const next = queue.shift();
      if (!next) return;
      next.begin();
    }
  }

  /** Not at once, within the work of another request: all that have room now are started together. */
  function startSoon(): void {
    if (isStarting || queue.length === 0) return;
    isStarting = true;
    setImmediate(startNext);
  }

  /** Those who wait too long are turned away, the oldest first. */
  function expire(): void {
    const now = performance.now();
    while (queue[0] && now - queue[0].since >= waitMs) queue.shift()?.refuse();
    isWatched = queue[0] !== undefined;
    if (queue[0]) setTimeout(expire, waitMs - (now - queue[0].since) + 1);
  }

  function turnAway(request: IncomingMessage, response: ServerResponse): void {
    if (refused === 0)
      setTimeout(() => {
        onRefusals?.(refused);
        refused = 0;
      }, 1000).unref();
    refused += 1;
    refuse(request, response);
  }

  function leave(response: ServerResponse): void {
    const was = state.get(response);
    state.delete(response);
    if (was === 'working') working -= 1;
    if (was === 'aside') aside -= 1;
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
      if (aside >= atOnce * asideEach) return turnAway(request, response);
      if (hasRoom() && queue.length === 0) return start(response, begin);
      if (queue.length >= atOnce * waitingEach) return turnAway(request, response);
      const gone = () => response.destroyed || request.destroyed;
      queue.push({
        since: performance.now(),
        begin: () => void (gone() || start(response, begin)),
        refuse: () => void (gone() || turnAway(request, response)),
      });
      if (!isWatched) setTimeout(expire, waitMs + 1);
      isWatched = true;
    },

    standAside(response) {
      if (state.get(response) !== 'working') return;
      state.set(response, 'aside');
      working -= 1;
      aside += 1;
      startSoon();
    },

    comeBack(response) {
      if (state.get(response) !== 'aside') return;
      // It has been let in already: it isn't asked to wait again.
      state.set(response, 'working');
      working += 1;
      aside -= 1;
    },
  };
}
