/** A promise, and what settles it. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A promise that is settled from elsewhere. Its rejection needs no handler. */
export function deferred<T>(): Deferred<T> {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  // Callers that await it still get the rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
