/**
 * Passes the items of a source on, and produces the next ones while one is being processed.
 * @param depth how many items are produced in advance at most
 */
export async function* prefetch<T>(source: AsyncGenerator<T>, depth: number): AsyncGenerator<T> {
  // An asynchronous generator produces one item after the other, however many are requested.
  const requested: Promise<IteratorResult<T>>[] = [];
  function request(): void {
    const item = source.next();
    // Awaited below in order; until then a rejection must not count as unhandled.
    item.catch(() => undefined);
    requested.push(item);
  }
  try {
    for (let count = 0; count < depth; count += 1) request();
    for (let item = requested.shift(); item; item = requested.shift()) {
      const { done, value } = await item;
      if (done) return;
      request();
      yield value;
    }
  } finally {
    // The consumer has stopped: requested items are discarded, failed or not, before the source is closed.
    await Promise.allSettled(requested);
    await source.return(undefined);
  }
}
