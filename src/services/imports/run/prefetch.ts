/**
 * Passes a source on, and has the next items made while one is being worked on.
 * @param depth how many items are made ahead at most
 */
export async function* lookAhead<T>(source: AsyncGenerator<T>, depth: number): AsyncGenerator<T> {
  // An asynchronous generator makes one item after the other, however many are asked for.
  const asked: Promise<IteratorResult<T>>[] = [];
  function ask(): void {
    const item = source.next();
    // Waited for in its turn, or below: meanwhile a failure isn't unhandled.
    item.catch(() => undefined);
    asked.push(item);
  }
  try {
    for (let count = 0; count < depth; count += 1) ask();
    for (let item = asked.shift(); item; item = asked.shift()) {
      const { done, value } = await item;
      if (done) return;
      ask();
      yield value;
    }
  } finally {
    // What is under way ends before its source does, failed or not: whoever stopped asking doesn't want it.
    await Promise.allSettled(asked);
    await source.return(undefined);
  }
}
