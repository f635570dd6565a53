/** Passes the items of a source on, and produces the next ones while one is being processed. */
export class Prefetch<T> implements AsyncIterable<T> {
  readonly #source: AsyncGenerator<T>;
  readonly #depth: number;
  // An asynchronous generator produces one item after the other, however many are requested.
  readonly #requested: Promise<IteratorResult<T>>[] = [];

  /** @param depth how many items are produced in advance at most */
  constructor(source: AsyncGenerator<T>, depth: number) {
    this.#source = source;
    this.#depth = depth;
  }

  /**
   * Starts to produce the next items. The consumer may call it while it processes an item, once it has to wait anyway;
   * otherwise they are requested when it takes the next item.
   */
  request(): void {
    while (this.#requested.length < this.#depth) {
      const item = this.#source.next();
      // Awaited below in order; until then a rejection must not count as unhandled.
      item.catch(() => undefined);
      this.#requested.push(item);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      this.request();
      for (let item = this.#requested.shift(); item; item = this.#requested.shift()) {
        const { done, value } = await item;
        if (done) return;
        yield value;
        this.request();
      }
    } finally {
      // The consumer has stopped: requested items are discarded, failed or not, before the source is closed.
      await Promise.allSettled(this.#requested);
      await this.#source.return(undefined);
    }
  }
}
