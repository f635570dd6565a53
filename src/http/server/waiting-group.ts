import { networkOf } from '../../network.js';
import type { Owner, WaitingRequest } from './waiting-request.js';

/** Maximum numbers of waiting requests. */
export interface Bounds {
  total: number;
  perAddress: number;
  perAccount: number;
}

/** A request of a group. */
export interface Entry {
  request: WaitingRequest;
  /** Removes it from its group. */
  leave(): void;
  /** Since when it has been slower than the minimum rate, and the bytes until then. */
  markAt: number;
  markBytes: number;
}

/** Requests of one kind, those that came first at the beginning. */
export class Group {
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

  /** The newest request of the address that has most of them, if that are more than the new one's address would have. */
  newestOfLargest(request: WaitingRequest): Entry | undefined {
    const ofAddress = (address: string | null) =>
      address === null ? undefined : this.byOwner.get(`address:${networkOf(address)}`);
    let largest = new Set<Entry>();
    for (const { request: other } of this.entries) {
      const own = ofAddress(other.address);
      if (own && own.size > largest.size) largest = own;
    }
    if (largest.size <= (ofAddress(request.address)?.size ?? 0) + 1) return undefined;
    return [...largest].at(-1);
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

/**
 * Moves the mark of a request that is fast enough, or whose client isn't waited for.
 * @returns for how long it has been too slow, in milliseconds
 */
export function slowFor(entry: Entry, minimumRate: number): number {
  const now = performance.now();
  const bytes = entry.request.bytes?.();
  const elapsed = now - entry.markAt;
  if (bytes !== undefined && bytes - entry.markBytes < (minimumRate * elapsed) / 1000) return elapsed;
  entry.markAt = now;
  entry.markBytes = bytes ?? entry.markBytes;
  return 0;
}

/**
 * The answers to end so that the bytes of the rest fit: the oldest of the address, or of the account where that isn't known, that
 * keeps most bytes, however fast they are read.
 * @param maxHeld bytes of all answers together
 */
export function excessAnswers(answers: Iterable<Entry>, maxHeld: number): Entry[] {
  const owners = new Map<string, { bytes: number; entries: Entry[] }>();
  let total = 0;
  for (const entry of answers) {
    const { address, account = '', held } = entry.request;
    const key = address === null ? account : networkOf(address);
    const owner = owners.get(key) ?? { bytes: 0, entries: [] };
    const bytes = held?.() ?? 0;
    owner.bytes += bytes;
    owner.entries.push(entry);
    owners.set(key, owner);
    total += bytes;
  }
  const excess: Entry[] = [];
  while (total > maxHeld) {
    const [largest] = [...owners.values()].sort((one, other) => other.bytes - one.bytes);
    const oldest = largest?.entries.shift();
    if (!largest || !oldest) break;
    const bytes = oldest.request.held?.() ?? 0;
    largest.bytes -= bytes;
    total -= bytes;
    if (bytes > 0) excess.push(oldest);
  }
  return excess;
}
