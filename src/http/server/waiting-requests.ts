import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { networkOf } from '../../services/auth/throttle-rules.js';

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
  /** A login that waits for its hash. @returns as `body`. @throws AppError `OVERLOADED` */
  login(request: WaitingRequest): () => void;
  /** A response that its client doesn't read immediately. @returns as `body` */
  answer(request: WaitingRequest): () => void;
  figures(): Record<'bodies' | 'uploads' | 'logins' | 'answers', number>;
}

/** A request that waits. */
export interface WaitingRequest {
  /** Null where unknown. */
  address: string | null;
  /** Id of the account; undefined before the login. */
  account?: string | undefined;
  /** Bytes received or sent. Undefined while nothing waits for the client. */
  bytes?(): number | undefined;
  /** Bytes of an answer that are kept here until they are taken. */
  held?(): number;
  /** Whether all of it has come. */
  isComplete?(): boolean;
  /** Ends it. */
  cut?(): void;
}

type Owner = Pick<WaitingRequest, 'address' | 'account'>;

/** A request whose body is on its way: ending it breaks its connection. */
export function bodyComing(request: IncomingMessage, owner: Owner): WaitingRequest {
  const { socket } = request;
  return {
    ...owner,
    bytes: () => (socket.destroyed ? undefined : socket.bytesRead),
    isComplete: () => request.complete,
    cut: () => void request.destroy(new AppError('BODY_INCOMPLETE')),
  };
}

/** An answer that is being taken. */
export function answerTaken(response: ServerResponse, owner: Owner): WaitingRequest {
  const { socket } = response;
  return {
    ...owner,
    bytes: () => (socket && response.writableLength > 0 ? socket.bytesWritten - socket.writableLength : undefined),
    held: () => response.writableLength,
    cut: () => void response.destroy(),
  };
}

/** Maximum numbers of waiting requests. */
interface Bounds {
  total: number;
  perAddress: number;
  perAccount: number;
}

export interface WaitingLimits {
  /** Requests processed concurrently; the bounds grow with it. */
  maxConcurrent: number;
  /** What sends less than so many bytes a second, over {@link slowMs}, is ended. */
  minimumRate: number;
  slowMs?: number;
  /** How much of all answers may be kept until it is taken, in bytes. */
  mostHeld?: number;
  /** Told of each request that is ended because its client keeps it waiting. */
  onCut?(): void;
}

/** How long a client sends or takes less than the minimum rate before its request counts as stalled, in milliseconds. */
const stalledMs = 500;
const defaultSlowMs = 5000;
/** A page of a listing has up to 10 MB: unread responses must not fill the memory. */
const defaultMostHeld = 128 * 1024 * 1024;
/** The pauses before a body is refused, in milliseconds: after them the bodies before it have arrived or are stalled. */
const pauses = [10, 50, 250, 250, 250];
/** How often stalled requests are looked for, in milliseconds. */
const checkEveryMs = 250;

/** Bounds of concurrent uploads, each a file on the disk; other uploads wait for them. */
const uploadBounds: Bounds = { total: 60, perAddress: 20, perAccount: 4 };

interface Entry {
  request: WaitingRequest;
  /** It is none of those that wait any more. */
  leave(): void;
  /** Since when it has been slower than the minimum rate, and the bytes until then. */
  markAt: number;
  markBytes: number;
}

/** Requests of one kind, those that came first at the beginning. */
class Group {
  readonly entries = new Set<Entry>();
  private readonly byOwner = new Map<string, Set<Entry>>();

  constructor(private readonly bounds: Bounds) {}

  private ownersOf({ address, account }: Owner): { key: string; most: number }[] {
    const { perAddress, perAccount } = this.bounds;
    return [
      ...(address === null ? [] : [{ key: `address:${networkOf(address)}`, most: perAddress }]),
      ...(account === undefined ? [] : [{ key: `account:${account}`, most: perAccount }]),
    ];
  }

  /** The requests that compete with a new one for a full bound; undefined when no bound is reached. */
  competitors(request: WaitingRequest): Iterable<Entry> | undefined {
    for (const { key, most } of this.ownersOf(request)) {
      const own = this.byOwner.get(key);
      if (own && own.size >= most) return own;
    }
    return this.entries.size >= this.bounds.total ? this.entries : undefined;
  }

  add(request: WaitingRequest): () => void {
    const owners = this.ownersOf(request);
    const leave = () => {
      this.entries.delete(entry);
      for (const { key } of owners) {
        const own = this.byOwner.get(key);
        own?.delete(entry);
        if (own?.size === 0) this.byOwner.delete(key);
      }
    };
    const entry = { request, leave, markAt: performance.now(), markBytes: request.bytes?.() ?? 0 };
    this.entries.add(entry);
    for (const { key } of owners) this.byOwner.set(key, (this.byOwner.get(key) ?? new Set()).add(entry));
    return leave;
  }
}

/** Moves the mark of a request that is fast enough, or whose client isn't waited for. @returns for how long it has been too slow, in milliseconds */
function slowFor(entry: Entry, minimumRate: number): number {
  const now = performance.now();
  const bytes = entry.request.bytes?.();
  const elapsed = now - entry.markAt;
  if (bytes !== undefined && bytes - entry.markBytes < (minimumRate * elapsed) / 1000) return elapsed;
  entry.markAt = now;
  entry.markBytes = bytes ?? entry.markBytes;
  return 0;
}

export function createWaitingRequests({
  maxConcurrent,
  minimumRate,
  slowMs = defaultSlowMs,
  mostHeld = defaultMostHeld,
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

  /**
   * Ends responses until the rest fit: the oldest of the address, or of the account where that isn't known, that keeps most
   * bytes, however fast they are read.
   */
  function boundHeld(): void {
    const owners = new Map<string, { bytes: number; entries: Entry[] }>();
    let total = 0;
    for (const entry of groups.answers.entries) {
      const { address, account = '', held } = entry.request;
      const key = address === null ? account : networkOf(address);
      const owner = owners.get(key) ?? { bytes: 0, entries: [] };
      const bytes = held?.() ?? 0;
      owner.bytes += bytes;
      owner.entries.push(entry);
      owners.set(key, owner);
      total += bytes;
    }
    while (total > mostHeld) {
      const [largest] = [...owners.values()].sort((one, other) => other.bytes - one.bytes);
      const oldest = largest?.entries.shift();
      if (!largest || !oldest) return;
      const bytes = oldest.request.held?.() ?? 0;
      largest.bytes -= bytes;
      total -= bytes;
      if (bytes > 0) end(oldest);
    }
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
      for (const pause of pauses) {
        // A complete body waits for nothing.
        if (request.isComplete?.()) return () => undefined;
        const competitors = groups.bodies.competitors(request);
        if (!competitors || endStalled(competitors)) break;
        await sleep(pause);
      }
      startLooking();
      return addWithinBounds(groups.bodies, request);
    },

    login: (request) => addWithinBounds(groups.logins, request),

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
      boundHeld();
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
