/** A request that waits. */
export interface QueuedRequest {
  begin(): void;
  refuse(): void;
  /** Since when it has waited, in milliseconds. */
  since: number;
}

/** The requests of one network that wait, each list in the order in which they came. */
interface Line {
  /** Those that are among the first of a burst; they are served before the others. */
  first: QueuedRequest[];
  others: QueuedRequest[];
}

/** How long requests may wait, in milliseconds. */
interface LongestWait {
  first: number;
  others: number;
}

/** Removes those, oldest first, that have waited this long. */
function expired(waiting: QueuedRequest[], now: number, longestMs: number): QueuedRequest[] {
  const kept = waiting.findIndex(({ since }) => now - since < longestMs);
  return waiting.splice(0, kept < 0 ? waiting.length : kept);
}

/**
 * The requests that wait. It serves the networks that they come from round robin, and those of one network in the order in
 * which they came: so a client that sends very many keeps others waiting no longer than a client that sends one.
 */
export class RequestQueue {
  /** The next network first. */
  readonly #lines = new Map<string, Line>();
  #first = 0;
  #others = 0;

  get length(): number {
    return this.#first + this.#others;
  }

  /** How many wait that are not among the first of a burst. */
  get others(): number {
    return this.#others;
  }

  /** @param isFirst whether it is among the first of a burst */
  add(network: string, request: QueuedRequest, isFirst: boolean): void {
    const line = this.#lines.get(network) ?? { first: [], others: [] };
    this.#lines.set(network, line);
    // First come, first served.
    if (isFirst && line.others.length === 0) {
      line.first.push(request);
      this.#first += 1;
    } else {
      line.others.push(request);
      this.#others += 1;
    }
  }

  /** Whether there is a request of a network that may begin one. */
  has(mayBegin: (network: string) => boolean): boolean {
    for (const network of this.#lines.keys()) if (mayBegin(network)) return true;
    return false;
  }

  /** Removes the next request of a network that may begin one. */
  take(mayBegin: (network: string) => boolean): { network: string; request: QueuedRequest } | undefined {
    for (const [network, line] of this.#lines) {
      if (!mayBegin(network)) continue;
      if (line.first.length > 0) this.#first -= 1;
      else this.#others -= 1;
      const request = line.first.shift() ?? line.others.shift();
      // Moves its network behind all others.
      this.#lines.delete(network);
      if (line.first.length + line.others.length > 0) this.#lines.set(network, line);
      return request && { network, request };
    }
    return undefined;
  }

  /** Removes the requests that have waited for too long. */
  expire(now: number, longest: LongestWait): QueuedRequest[] {
    const late: QueuedRequest[] = [];
    for (const [network, line] of this.#lines) {
      const first = expired(line.first, now, longest.first);
      const others = expired(line.others, now, longest.others);
      this.#first -= first.length;
      this.#others -= others.length;
      late.push(...first, ...others);
      if (line.first.length + line.others.length === 0) this.#lines.delete(network);
    }
    return late;
  }

  /**
   * Removes the newest request of the network with most of them besides the first of a burst, if that are more than this network
   * would have with one more.
   */
  giveWay(network: string): QueuedRequest | undefined {
    let largest: Line | undefined;
    for (const line of this.#lines.values()) if (line.others.length > (largest?.others.length ?? 0)) largest = line;
    const own = this.#lines.get(network)?.others.length ?? 0;
    if (!largest || largest.others.length <= own + 1) return undefined;
    this.#others -= 1;
    return largest.others.pop();
  }
}
