/** How long requests may wait in the queue. */
export interface QueueLimits {
  /** This many requests of a burst are served however long they wait, as long as any are being served. */
  burst: number;
  /**
   * A queue that was empty within this time is a burst, whose other requests may wait this long. Milliseconds; longer
   * where serving the requests of {@link burst} takes longer.
   */
  burstMs: number;
  /**
   * How long a request may wait once the queue no longer empties, in milliseconds; longer, up to `burstMs`, where serving a
   * full queue takes longer.
   */
  standingMs: number;
  /** Without a successful response for this long, requests count as not being served. Milliseconds. */
  stuckMs: number;
}

/** The requests that wait: the first of a burst, and those behind them. */
export interface QueueControl {
  /** A request comes, and none waits: from now on a burst waits, until the queue is empty again. */
  emptied(now: number): void;
  /** A request joins the queue. @returns whether it is one of those that are served however long they wait */
  joined(): boolean;
  /** A waiting request has begun to be processed. */
  began(now: number): void;
  /** A request was answered, with a failure of the service or not. @returns whether requests no longer count as being served */
  answered(now: number, failed: boolean): boolean;
  /** Whether one more request may wait behind so many `others`. */
  mayJoin(now: number, others: number): boolean;
  /** How long each may wait, in milliseconds. */
  longestWait(now: number): { first: number; others: number };
}

/** A school's ten classes of 60, and what their browsers ask for meanwhile. */
const defaults: QueueLimits = { burst: 1000, burstMs: 5000, standingMs: 500, stuckMs: 3000 };

/** Length of a queue that no longer empties, for each concurrent request. */
const standingPerSlot = 10;
/** Length of the queue in a burst, for each concurrent request. Waiting costs memory only. */
const burstPerSlot = 100;
/** After this many failures in a row, requests count as not being served. */
const failuresInRow = 3;
/** How long the service time is averaged, in milliseconds. */
const averagedMs = 1000;

/**
 * Tells a burst from lasting overload as CoDel does (RFC 8289): a queue may be long if it was empty recently. How recently, and
 * how long requests may wait, depends on the time that serving one takes, which is measured while requests wait: a slow
 * machine takes longer for the same burst.
 */
export function createQueueControl(maxConcurrent: number, given: Partial<QueueLimits> = {}): QueueControl {
  const { burst, burstMs, standingMs, stuckMs } = { ...defaults, ...given };
  const longestStanding = standingPerSlot * maxConcurrent;
  /** When the queue was empty last, and how many have waited since. */
  let emptyAt = 0;
  let waited = 0;
  /** When a request was last answered, other than with a failure; and the failures since then. */
  let servedAt = 0;
  let failures = 0;
  /** The time between two requests that leave the queue, in milliseconds; and what is measured now. */
  let serviceMs: number | undefined;
  let measuredFrom = 0;
  let begun = 0;

  /** Until it has been measured once, what is known so far. */
  const currentServiceMs = (now: number) => serviceMs ?? (begun === 0 ? 0 : (now - measuredFrom) / begun);

  const isServing = (now: number) => failures < failuresInRow && now - Math.max(servedAt, emptyAt) < stuckMs;
  const longestBurst = (now: number) => Math.max(burstMs, burst * currentServiceMs(now));
  const isBurst = (now: number) => isServing(now) && now - emptyAt < longestBurst(now);

  return {
    emptied(now) {
      [emptyAt, waited, failures] = [now, 0, 0];
      [measuredFrom, begun] = [now, 0];
    },

    joined() {
      waited += 1;
      return waited <= burst;
    },

    began(now) {
      begun += 1;
      const elapsed = now - measuredFrom;
      if (elapsed < averagedMs) return;
      serviceMs = elapsed / begun;
      [measuredFrom, begun] = [now, 0];
    },

    answered(now, failed) {
      failures = failed ? failures + 1 : 0;
      if (!failed) servedAt = now;
      return failures === failuresInRow;
    },

    mayJoin(now, others) {
      if (waited < burst && isServing(now)) return true;
      return others < (isBurst(now) ? burstPerSlot * maxConcurrent : longestStanding);
    },

    longestWait(now) {
      // What nobody serves needn't wait for long.
      if (!isServing(now)) return { first: standingMs, others: standingMs };
      if (isBurst(now)) return { first: Number.POSITIVE_INFINITY, others: longestBurst(now) };
      const standing = Math.min(longestStanding * currentServiceMs(now), burstMs);
      return { first: Number.POSITIVE_INFINITY, others: Math.max(standing, standingMs) };
    },
  };
}

/**
 * A clock that counts a pause of this process as no longer than `longestPauseMs`, so that requests don't pay for a machine that
 * lets it wait. Read it often: what lies between two readings is taken for a pause.
 * @param read the time, in milliseconds
 */
export function createRunningClock(longestPauseMs: number, read: () => number = () => performance.now()): () => number {
  let last = read();
  let running = 0;
  return () => {
    const now = read();
    running += Math.min(now - last, longestPauseMs);
    last = now;
    return running;
  };
}
