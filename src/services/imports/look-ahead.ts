/** Passes a source on, and has the next item made while the one before is being worked on. */
export async function* lookAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      // Waited for in the next round, or below: meanwhile a failure isn't unhandled.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    // What is under way ends before its source does, failed or not: whoever stopped asking doesn't want it.
    await next.catch(() => undefined);
    await source.return(undefined);
  }
}
