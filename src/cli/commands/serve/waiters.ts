/** Those who wait for an event that may not come. None is kept once it has stopped waiting. */
export interface Waiters {
  /** How many wait. */
  count(): number;
  /** Settles with the next `release`, or after so many milliseconds. Doesn't keep the process running. */
  wait(milliseconds: number): Promise<void>;
  /** The event has come. */
  release(): void;
}

export function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    count: () => waiting.size,
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(stop);
          resolve();
        };
        const timer = setTimeout(stop, milliseconds).unref();
        waiting.add(stop);
      }),
    release() {
      for (const stop of waiting) stop();
    },
  };
}
