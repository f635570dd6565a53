import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { type Bounds, type Entry, excessAnswers, Group, slowFor } from './waiting-group.js';
import type { WaitingRequest } from './waiting-request.js';

/**
 * Requests that wait for something other than this service's work: their body, a place for their upload, their hash, a
 * client that takes its answer. They cost memory, a socket or a file each, so they are bounded, in all and for each address
 * and account. Of those that wait for their client the oldest stalled one gives way to a new request.
 */
export interface WaitingRequests {
  /** A body that is on its way. @returns to be called when it is there, or won't come. @throws AppError `OVERLOADED` */
  body(request: WaitingRequest): Promise<() => void>;
  /** An upload: waits for its place. @returns as `body`. @throws AppError `OVERLOADED`, `BODY_INCOMPLETE` when it has left */
  upload(request: WaitingRequest): Promise<() => void>;
  /**
   * A login that waits for its hash. When there are too many, one of the address with most of them is ended.
   * @returns as `body`. @throws AppError `OVERLOADED`
   */
  login(request: WaitingRequest): () => void;
  /** A response that its client doesn't read immediately. @returns as `body` */
  answer(request: WaitingRequest): () => void;
  figures(): Record<'bodies' | 'uploads' | 'logins' | 'answers', number>;
}

export interface WaitingLimits {
  /** Requests processed concurrently; the bounds grow with it. */
  maxConcurrent: number;
  /** What sends less than so many bytes a second, over {@link slowMs}, is ended. */
  minimumRate: number;
  slowMs?: number;
  /** How much of all answers may be kept until it is taken, in bytes. */
  maxHeld?: number;
  /** Told of each request that is ended because its client keeps it waiting. */
  onCut?(): void;
}

/** How long a client sends or takes less than the minimum rate before its request counts as stalled, in milliseconds. */
const stalledMs = 500;
const defaultSlowMs = 5000;
/** A page of a listing has up to 10 MB: unread responses must not fill the memory. */
const defaultMostHeld = 128 * 1024 * 1024;
/** The pauses before a body is refused, in milliseconds: after them the bodies before it have arrived or are stalled. */
const pausesMs = [10, 50, 250, 250, 250];
/** How often stalled requests are looked for, in milliseconds. */
const checkEveryMs = 250;

/** Bounds of concurrent uploads, each a file on the disk; other uploads wait for them. */
export const uploadBounds: Bounds = { total: 60, perAddress: 20, perAccount: 4 };

export function createWaitingRequests({
  maxConcurrent,
  minimumRate,
  slowMs = defaultSlowMs,
  maxHeld = defaultMostHeld,
  onCut,
}: WaitingLimits): WaitingRequests {
  const total = Math.max(400, 50 * maxConcurrent);
  const perAddress = Math.max(200, 20 * maxConcurrent);
  // A class behind one address signs in together: that is never too much.
  const groups = {
    bodies: new Group({ total, perAddress, perAccount: Math.max(50, 5 * maxConcurrent) }),
    uploads: new Group(uploadBounds),
    line: new Group({ total, perAddress, perAccount: Math.max(50, 5 * maxConcurrent) }),
    logins: new Group({ total: 2 * total, perAddress: total, perAccount: total }),
    answers: new Group({ total, perAddress, perAccount: perAddress }),
  };
  /** Uploads that wait to begin, first come, first served. */
  const line = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  function end({ leave, request }: Entry): void {
    leave();
    request.cut?.();
    onCut?.();
  }

  /** Ends the oldest of these that its client keeps waiting. @returns whether there was one */
  function endStalled(entries: Iterable<Entry>): boolean {
    for (const entry of entries) {
      if (!entry.request.cut || slowFor(entry, minimumRate) < stalledMs) continue;
      // It no longer counts, though it takes a moment to end.
      end(entry);
      return true;
    }
    return false;
  }

  function look(): void {
    for (const group of [groups.bodies, groups.uploads])
      for (const entry of group.entries) if (slowFor(entry, minimumRate) >= slowMs) end(entry);
    serveLine();
    if (groups.bodies.entries.size + groups.uploads.entries.size + line.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function serveLine(): void {
    for (const enter of [...line]) enter();
  }

  function startLooking(): void {
    // What has come meanwhile is read first: a process that was kept busy doesn't take its own delay for the client's.
    timer ??= setInterval(() => setImmediate(look), checkEveryMs).unref();
  }

  function addWithinBounds(group: Group, request: WaitingRequest): () => void {
    const competitors = group.competitors(request);
    if (competitors && !endStalled(competitors)) throw new AppError('OVERLOADED');
    return group.add(request);
  }

  return {
    async body(request) {
      for (const pause of pausesMs) {
        // A complete body waits for nothing.
        if (request.isComplete?.()) return () => undefined;
        const competitors = groups.bodies.competitors(request);
        if (!competitors || endStalled(competitors)) break;
        await sleep(pause);
      }
      startLooking();
      return addWithinBounds(groups.bodies, request);
    },

    login(request) {
      const competitors = groups.logins.competitors(request);
      if (!competitors) return groups.logins.add(request);
      // Of all places each address gets its share.
      const excess = competitors === groups.logins.entries ? groups.logins.newestOfLargest(request) : undefined;
      if (!excess) throw new AppError('OVERLOADED');
      excess.leave();
      excess.request.cut?.();
      return groups.logins.add(request);
    },

    async upload(request) {
      const { address, account } = request;
      // Nothing of it is read while it is queued: its client isn't waited for.
      const leaveLine = addWithinBounds(groups.line, { address, account });
      startLooking();
      const leave = await new Promise<(() => void) | undefined>((resolve) => {
        const enter = () => {
          const hasLeft = request.bytes?.() === undefined;
          const competitors = hasLeft ? undefined : groups.uploads.competitors(request);
          if (competitors && !endStalled(competitors)) return;
          line.delete(enter);
          leaveLine();
          resolve(hasLeft ? undefined : groups.uploads.add(request));
        };
        line.add(enter);
        enter();
      });
      if (!leave) throw new AppError('BODY_INCOMPLETE');
      return () => {
        leave();
        serveLine();
      };
    },

    answer(request) {
      const competitors = groups.answers.competitors(request);
      // The work is done: the response is sent in any case.
      if (competitors) endStalled(competitors);
      const leave = groups.answers.add(request);
      for (const entry of excessAnswers(groups.answers.entries, maxHeld)) end(entry);
      return leave;
    },

    figures: () => ({
      bodies: groups.bodies.entries.size,
      uploads: groups.uploads.entries.size + line.size,
      logins: groups.logins.entries.size,
      answers: groups.answers.entries.size,
    }),
  };
}
