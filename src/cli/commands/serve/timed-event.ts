/** An event that may not come in time. Nothing is kept of those that have stopped waiting for it. */
export interface TimedEvent {
  /** How many wait. */
  count(): number;
  /** Settles with the next `release`, or after so many milliseconds. Doesn't keep the process running. */
  wait(milliseconds: number): Promise<void>;
  /** The event has come. */
  release(): void;
}

export function createTimedEvent(): TimedEvent {
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
