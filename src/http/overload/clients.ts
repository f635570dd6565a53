import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { networkOf } from '../../network.js';

/**
 * Bounds requests that wait for their clients: to send a body or an upload, or to read a response. Each costs memory, a socket
 * or a file. There are bounds in total, per address and per account. When a bound is reached, a new request replaces the oldest
 * stalled request.
 */
export interface ClientLimiter {
  /** Admits a request that sends its body. @throws AppError `OVERLOADED`, `BODY_INCOMPLETE` if the client has left */
  admitBody(request: IncomingMessage, owner: ClientOwner): Promise<StopCounting>;
  /** Waits until an upload may begin. @throws AppError `OVERLOADED`, `BODY_INCOMPLETE` if the client has left */
  admitUpload(request: IncomingMessage, owner: ClientOwner): Promise<UploadEntry>;
  /**
   * Counts a response that its client doesn't read, until the response is closed. Further calls for the same response have
   * no effect.
   */
  trackUnread(response: ServerResponse, owner: ClientOwner): void;
  load(): Record<'bodies' | 'uploads' | 'responses', number>;
}

/** Removes a request from its group. The caller must call it when the request no longer waits for its client. */
export type StopCounting = () => void;

/** An admitted upload. */
export interface UploadEntry {
  stopCounting: StopCounting;
  /** The caller must call it when the file is received. Otherwise the upload would count as slow. */
  markReceived(): void;
}

export interface ClientOwner {
  /** Null if unknown. */
  address: string | null;
  /** Id of the account; undefined before the login. */
  account?: string | undefined;
}

export interface ClientLimits {
  /** Maximum concurrent requests. The bounds for waiting requests are multiples of this number. */
  maxConcurrent: number;
  /** Requests slower than this over 5 s are ended. */
  minBytesPerSecond: number;
  /** Maximum buffered bytes of all unread responses. */
  maxBuffered?: number;
  /** Called for each request that is ended because of its slow client. */
  onAbort?(): void;
}

/** Time below the minimum rate after which a new request may replace a request, in milliseconds. */
const stalledMs = 500;
/** Time below the minimum rate after which a request is always ended, in milliseconds. */
const slowMs = 5000;
/** Bounds the memory of unread responses; a page of a listing has up to 10 MB. */
const defaultMaxBuffered = 128 * 1024 * 1024;
/** Interval between attempts to admit a body or an upload, in milliseconds. */
const retryMs = 50;
/** Maximum attempts to admit a body: 0.8 s. */
const bodyTries = 16;
/** Interval between checks for slow requests, in milliseconds. */
const checkEveryMs = 250;

/** Maximum numbers of waiting requests. */
interface Bounds {
  total: number;
  perAddress: number;
  perAccount: number;
}

/** Bounds of concurrent uploads, each a file on the disk. Further uploads wait. */
export const uploadBounds: Bounds = { total: 60, perAddress: 20, perAccount: 4 };

interface WaitingRequest extends ClientOwner {
  /** Bytes received or sent; undefined while the request doesn't wait for its client. */
  bytes(): number | undefined;
  /** Buffered bytes of a response. */
  buffered?(): number;
  /** Ends the request; absent if the request must not be ended. */
  abort?(): void;
}

interface GroupEntry {
  request: WaitingRequest;
  stopCounting: StopCounting;
  /** Time since which the request is slower than the minimum rate, and its bytes at that time. */
  markAt: number;
  markBytes: number;
}

/** Requests of one kind, oldest first. */
class RequestGroup {
  readonly entries = new Set<GroupEntry>();
  readonly #byOwner = new Map<string, Set<GroupEntry>>();

  constructor(private readonly bounds: Bounds) {}

  #ownersOf({ address, account }: ClientOwner): (readonly [key: string, max: number])[] {
    return [
      ...(address === null ? [] : [[`address:${networkOf(address)}`, this.bounds.perAddress] as const]),
      ...(account === undefined ? [] : [[`account:${account}`, this.bounds.perAccount] as const]),
    ];
  }

  /** Returns the requests that count towards a reached bound of a new request; undefined if no bound is reached. */
  competitors(owner: ClientOwner): Iterable<GroupEntry> | undefined {
    for (const [key, max] of this.#ownersOf(owner)) {
      const own = this.#byOwner.get(key);
      if (own && own.size >= max) return own;
    }
    return this.entries.size >= this.bounds.total ? this.entries : undefined;
  }

  add(request: WaitingRequest): StopCounting {
    const keys = this.#ownersOf(request).map(([key]) => key);
    const stopCounting = () => {
      this.entries.delete(entry);
      for (const key of keys) {
        const own = this.#byOwner.get(key);
        own?.delete(entry);
        if (own?.size === 0) this.#byOwner.delete(key);
      }
    };
    const entry = { request, stopCounting, markAt: performance.now(), markBytes: request.bytes() ?? 0 };
    this.entries.add(entry);
    for (const key of keys) this.#byOwner.set(key, (this.#byOwner.get(key) ?? new Set()).add(entry));
    return stopCounting;
  }
}

/**
 * Returns the buffered bytes of all responses, and the responses of the network (or account) with the most buffered bytes.
 */
function largestBuffered(entries: Iterable<GroupEntry>): { total: number; entries: GroupEntry[] } {
  const owners = new Map<string, { bytes: number; entries: GroupEntry[] }>();
  let total = 0;
  for (const entry of entries) {
    const { address, account = '', buffered } = entry.request;
    const key = address === null ? account : networkOf(address);
    const owner = owners.get(key) ?? { bytes: 0, entries: [] };
    const bytes = buffered?.() ?? 0;
    if (bytes > 0) owner.entries.push(entry);
    owner.bytes += bytes;
    owners.set(key, owner);
    total += bytes;
  }
  const [largest] = [...owners.values()].sort((one, other) => other.bytes - one.bytes);
  return { total, entries: largest?.entries ?? [] };
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

  /** Returns for how long a request has been too slow, in milliseconds. Resets the mark of a request that is fast enough. */
  function slowFor(entry: GroupEntry): number {
    const now = performance.now();
    const bytes = entry.request.bytes();
    const elapsed = now - entry.markAt;
    if (bytes !== undefined && bytes - entry.markBytes < (minBytesPerSecond * elapsed) / 1000) return elapsed;
    entry.markAt = now;
    entry.markBytes = bytes ?? entry.markBytes;
    return 0;
  }

  function endRequest({ stopCounting, request }: GroupEntry): void {
    // Stops counting first, because the end of the request takes a moment.
    stopCounting();
    request.abort?.();
    onAbort?.();
  }

  /** Ends the oldest stalled competitor if a bound is reached. @returns whether a new request fits */
  function makeRoom(group: RequestGroup, owner: ClientOwner): boolean {
    const competitors = group.competitors(owner);
    if (!competitors) return true;
    for (const entry of competitors) {
      if (!entry.request.abort || slowFor(entry) < stalledMs) continue;
      endRequest(entry);
      return true;
    }
    return false;
  }

  function endSlowRequests(): void {
    for (const group of [bodies, uploads])
      for (const entry of group.entries) if (slowFor(entry) >= slowMs) endRequest(entry);
    if (bodies.entries.size + uploads.entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /**
   * Adds a request to a group when the group has room.
   * @param tries maximum number of attempts, one every 50 ms
   * @throws AppError `OVERLOADED`, `BODY_INCOMPLETE`
   */
  async function join(
    group: RequestGroup,
    request: IncomingMessage,
    waiting: WaitingRequest,
    tries: number,
  ): Promise<StopCounting> {
    for (let tried = 1; !makeRoom(group, waiting); tried += 1) {
      if (request.socket.destroyed) throw new AppError('BODY_INCOMPLETE');
      // A complete body doesn't count, because it doesn't wait for its client.
      if (group === bodies && request.complete) return () => undefined;
      if (tried >= tries) throw new AppError('OVERLOADED');
      await sleep(retryMs);
    }
    // `setImmediate` lets Node read received data before the check. Otherwise the delay of a busy process would count as
    // the client's.
    timer ??= setInterval(() => setImmediate(endSlowRequests), checkEveryMs).unref();
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
      // A queued upload isn't read, so its client can't be slow.
      const stopCountingQueued = await join(uploadQueue, request, { ...owner, bytes: () => undefined }, 1);
      const incoming = incomingRequest(request, owner);
      let isReceived = false;
      const uploading = { ...incoming, bytes: () => (isReceived ? undefined : incoming.bytes()) };
      const stopCounting = await join(uploads, request, uploading, Number.POSITIVE_INFINITY).finally(
        stopCountingQueued,
      );
      const markReceived = () => {
        isReceived = true;
      };
      return { stopCounting, markReceived };
    },

    trackUnread(response, owner) {
      if (counted.has(response)) return;
      counted.add(response);
      const { socket } = response;
      // The response is sent even if no room was found, because its work is done.
      makeRoom(responses, owner);
      const stopCounting = responses.add({
        ...owner,
        bytes: () => (socket && response.writableLength > 0 ? socket.bytesWritten - socket.writableLength : undefined),
        buffered: () => response.writableLength,
        abort: () => void response.destroy(),
      });
      response.once('close', stopCounting);
      for (
        let largest = largestBuffered(responses.entries);
        largest.total > maxBuffered;
        largest = largestBuffered(responses.entries)
      ) {
        const [oldest] = largest.entries;
        if (!oldest) return;
        endRequest(oldest);
      }
    },

    load: () => ({
      bodies: bodies.entries.size,
      uploads: uploads.entries.size + uploadQueue.entries.size,
      responses: responses.entries.size,
    }),
  };
}
