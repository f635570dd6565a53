import { hash } from 'node:crypto';

/**
 * Remembers on which line each key of a file was first seen, in 12 bytes a key instead of the key itself: a million
 * people fit in a few dozen megabytes. Two different keys meet with a probability of 2^-64.
 */
export class KeyIndex {
  #capacity = 1 << 15;
  #high = new Uint32Array(this.#capacity);
  #low = new Uint32Array(this.#capacity);
  /** 0 marks a free slot: lines count from 1. */
  #lines = new Uint32Array(this.#capacity);
  #size = 0;

  /** The line on which the key was first seen; remembers `line` when it is new. */
  firstLine(key: string, line: number): number | undefined {
    const digest = hash('sha1', key, 'buffer');
    const high = digest.readUInt32LE(0);
    const low = digest.readUInt32LE(4);
    const slot = this.#slotOf(high, low);
    const seen = this.#lines[slot];
    if (seen !== undefined && seen !== 0) return seen;
    this.#put(slot, high, low, line);
    this.#size += 1;
    if (this.#size * 2 > this.#capacity) this.#grow();
    return undefined;
  }

  /** The slot that holds the key, or the free one where it belongs. */
  #slotOf(high: number, low: number): number {
    let slot = low & (this.#capacity - 1);
    while (this.#lines[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low))
      slot = (slot + 1) & (this.#capacity - 1);
    return slot;
  }

  #put(slot: number, high: number, low: number, line: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#lines[slot] = line;
  }

  #grow(): void {
    const [high, low, lines] = [this.#high, this.#low, this.#lines];
    this.#capacity *= 2;
    this.#high = new Uint32Array(this.#capacity);
    this.#low = new Uint32Array(this.#capacity);
    this.#lines = new Uint32Array(this.#capacity);
    lines.forEach((line, index) => {
      if (line === 0) return;
      const [oldHigh = 0, oldLow = 0] = [high[index], low[index]];
      this.#put(this.#slotOf(oldHigh, oldLow), oldHigh, oldLow, line);
    });
  }
}
