import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { networkOf } from '../../network.js';

/**
 * Requests that wait for their clients: for a body, for an upload, for a response to be read. They cost memory, a socket or a
 * file each, so they are bounded, in all and for each address and account; the oldest stalled one gives way to a new one.
 */
export interface ClientLimiter {
  /** A body that is on its way. @throws AppError `OVERLOADED` */
  admitBody(request: IncomingMessage, owner: ClientOwner): Promise<Leave>;
  /** An upload: waits for its place. @throws AppError `OVERLOADED`, `BODY_INCOMPLETE` when its client has left */
  admitUpload(request: IncomingMessage, owner: ClientOwner): Promise<UploadEntry>;
  /** A response that its client doesn't read immediately; counted once, until it is closed. */
  trackUnread(response: ServerResponse, owner: ClientOwner): void;
  load(): Record<'bodies' | 'uploads' | 'responses', number>;
}

/** To be called when a request no longer waits. */
export type Leave = () => void;

/** The place of an upload. */
export interface UploadEntry {
  leave: Leave;
  /** Its file is there: nothing waits for the client any more. */
  received(): void;
}

export interface ClientOwner {
  /** Null where unknown. */
  address: string | null;
  /** Id of the account; undefined before the login. */
  account?: string | undefined;
}

export interface ClientLimits {
  /** Requests processed concurrently; the bounds grow with it. */
  maxConcurrent: number;
  /** What sends less than so many bytes a second, over 5 s, is ended. */
  minBytesPerSecond: number;
  /** Maximum bytes of all responses that are buffered until they are read. */
  maxBuffered?: number;
  /** Told of each request that is ended because its client keeps it waiting. */
  onAbort?(): void;
}

/** How long a request may be below the minimum rate before a new one may replace it, in milliseconds. */
const stalledMs = 500;
/** How long it may be so before it is ended in any case, in milliseconds. */
const slowMs = 5000;
/** A page of a listing has up to 10 MB: unread responses must not fill the memory. */
const defaultMaxBuffered = 128 * 1024 * 1024;
/** How long a body or an upload waits before it looks for room again, in milliseconds. */
const retryMs = 50;
/** How often a body looks for room before it is refused: 0.8 s. */
const bodyTries = 16;
/** How often stalled requests are looked for, in milliseconds. */
const checkEveryMs = 250;

/** Maximum numbers of requests that wait. */
interface Bounds {
  total: number;
  perAddress: number;
  perAccount: number;
}

/** Bounds of concurrent uploads, each a file on the disk; other uploads wait for them. */
export const uploadBounds: Bounds = { total: 60, perAddress: 20, perAccount: 4 };

/** A request that waits. */
interface WaitingRequest extends ClientOwner {
  /** Bytes received or sent; undefined while nothing waits for the client. */
  bytes(): number | undefined;
  /** Bytes of a response that are buffered here until they are read. */
  buffered?(): number;
  /** Ends it. */
  abort?(): void;
}

interface GroupEntry {
  request: WaitingRequest;
  leave: Leave;
  /** Since when it has been slower than the minimum rate, and the bytes until then. */
  markAt: number;
  markBytes: number;
}

/** Requests of one kind, those that came first at the beginning. */
class RequestGroup {
  readonly entries = new Set<GroupEntry>();
  readonly #byOwner = new Map<string, Set<GroupEntry>>();

  constructor(private readonly bounds: Bounds) {}

  #ownersOf({ address, account }: ClientOwner): (readonly [key: string, most: number])[] {
    return [
      ...(address === null ? [] : [[`address:${networkOf(address)}`, this.bounds.perAddress] as const]),
      ...(account === undefined ? [] : [[`account:${account}`, this.bounds.perAccount] as const]),
    ];
  }

  /** The requests that compete with a new one for a full bound; undefined when no bound is reached. */
  competitors(owner: ClientOwner): Iterable<GroupEntry> | undefined {
    for (const [key, max] of this.#ownersOf(owner)) {
      const own = this.#byOwner.get(key);
      if (own && own.size >= max) return own;
    }
    return this.entries.size >= this.bounds.total ? this.entries : undefined;
  }

  add(request: WaitingRequest): Leave {
    const keys = this.#ownersOf(request).map(([key]) => key);
    const leave = () => {
      this.entries.delete(entry);
      for (const key of keys) {
        const own = this.#byOwner.get(key);
        own?.delete(entry);
        if (own?.size === 0) this.#byOwner.delete(key);
      }
    };
    const entry = { request, leave, markAt: performance.now(), markBytes: request.bytes() ?? 0 };
    this.entries.add(entry);
    for (const key of keys) this.#byOwner.set(key, (this.#byOwner.get(key) ?? new Set()).add(entry));
    return leave;
  }
}

/** The responses of the network, or of the account where that isn't known, that buffers most bytes; and the bytes of all. */
function largestBuffered(entries: Iterable<GroupEntry>): { total: number; own: GroupEntry[] } {
  const owners = new Map<string, { bytes: number; own: GroupEntry[] }>();
  let total = 0;
  for (const entry of entries) {
    const { address, account = '', buffered } = entry.request;
    const key = address === null ? account : networkOf(address);
    const owner = owners.get(key) ?? { bytes: 0, own: [] };
    const bytes = buffered?.() ?? 0;
    if (bytes > 0) owner.own.push(entry);
    owner.bytes += bytes;
    owners.set(key, owner);
    total += bytes;
  }
  const [largest] = [...owners.values()].sort((one, other) => other.bytes - one.bytes);
  return { total, own: largest?.own ?? [] };
}

export function createClientLimiter({
  maxConcurrent,
  minBytesPerSecond,
  maxBuffered = defaultMaxBuffered,
  onAbort,
}: ClientLimits): ClientLimiter {
  const total = Math.max(400, 50 * maxConcurrent);
  const perAddress = Math.max(200, 20 * maxConcurrent);
  const perAccount = Math.max(50, 5 * maxConcurrent);
  const bodies = new RequestGroup({ total, perAddress, perAccount });
  const uploads = new RequestGroup(uploadBounds);
  const uploadQueue = new RequestGroup({ total, perAddress, perAccount });
  const responses = new RequestGroup({ total, perAddress, perAccount: perAddress });
  const counted = new WeakSet<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;

  /** For how long a request has been too slow, in milliseconds; its mark moves while it isn't. */
  function slowFor(entry: GroupEntry): number {
    const now = performance.now();
    const bytes = entry.request.bytes();
    const elapsed = now - entry.markAt;
    if (bytes !== undefined && bytes - entry.markBytes < (minBytesPerSecond * elapsed) / 1000) return elapsed;
    entry.markAt = now;
    entry.markBytes = bytes ?? entry.markBytes;
    return 0;
  }

  function end({ leave, request }: GroupEntry): void {
    // It no longer counts, though it takes a moment to end.
    leave();
    request.abort?.();
    onAbort?.();
  }

  /** Ends the oldest stalled competitor where a bound is reached. @returns whether there is room */
  function makeRoom(group: RequestGroup, owner: ClientOwner): boolean {
    const competitors = group.competitors(owner);
    if (!competitors) return true;
    for (const entry of competitors) {
      if (!entry.request.abort || slowFor(entry) < stalledMs) continue;
      end(entry);
      return true;
    }
    return false;
  }

  function check(): void {
    for (const group of [bodies, uploads]) for (const entry of group.entries) if (slowFor(entry) >= slowMs) end(entry);
    if (bodies.entries.size + uploads.entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Joins a group when there is room in it. */
  async function join(
    group: RequestGroup,
    request: IncomingMessage,
    waiting: WaitingRequest,
    tries: number,
  ): Promise<Leave> {
    for (let tried = 1; !makeRoom(group, waiting); tried += 1) {
      if (request.socket.destroyed) throw new AppError('BODY_INCOMPLETE');
      // A complete body waits for nothing.
      if (group === bodies && request.complete) return () => undefined;
      if (tried >= tries) throw new AppError('OVERLOADED');
      await sleep(retryMs);
    }
    // What has come meanwhile is read first: a process that was kept busy doesn't take its own delay for the client's.
    timer ??= setInterval(() => setImmediate(check), checkEveryMs).unref();
    return group.add(waiting);
  }

  const incomingRequest = (request: IncomingMessage, owner: ClientOwner): WaitingRequest => ({
    ...owner,
    bytes: () => (request.socket.destroyed ? undefined : request.socket.bytesRead),
    abort: () => void request.destroy(new AppError('BODY_INCOMPLETE')),
  });

  return {
    admitBody: (request, owner) => join(bodies, request, incomingRequest(request, owner), bodyTries),

    async admitUpload(request, owner) {
      // Nothing of it is read while it waits: its client isn't waited for.
      const leaveQueue = await join(uploadQueue, request, { ...owner, bytes: () => undefined }, 1);
      const incoming = incomingRequest(request, owner);
      let isReceived = false;
      const uploading = { ...incoming, bytes: () => (isReceived ? undefined : incoming.bytes()) };
      const leave = await join(uploads, request, uploading, Number.POSITIVE_INFINITY).finally(leaveQueue);
      const received = () => {
        isReceived = true;
      };
      return { leave, received };
    },

    trackUnread(response, owner) {
      if (counted.has(response)) return;
      counted.add(response);
      const { socket } = response;
      // The work is done: the response is sent in any case.
      makeRoom(responses, owner);
      const leave = responses.add({
        ...owner,
        bytes: () => (socket && response.writableLength > 0 ? socket.bytesWritten - socket.writableLength : undefined),
        buffered: () => response.writableLength,
        abort: () => void response.destroy(),
      });
      response.once('close', leave);
      for (
        let largest = largestBuffered(responses.entries);
        largest.total > maxBuffered;
        largest = largestBuffered(responses.entries)
      ) {
        const [oldest] = largest.own;
        if (!oldest) return;
        end(oldest);
      }
    },

    load: () => ({
      bodies: bodies.entries.size,
      uploads: uploads.entries.size + uploadQueue.entries.size,
      responses: responses.entries.size,
    }),
  };
}
