/** The order of attempts that wait in this process for others of the same target: first come, first served. */

const last = new Map<string, Promise<void>>();

/** Runs work after all earlier work for the same subject. */
export function inOrder<T>(subject: string, work: () => Promise<T>): Promise<T> {
  const own = (last.get(subject) ?? Promise.resolve()).then(work);
  const settled = own.then(
    () => undefined,
    () => undefined,
  );
  last.set(subject, settled);
  void settled.then(() => {
    if (last.get(subject) === settled) last.delete(subject);
  });
  return own;
}

const waiting = new Map<string, Set<() => void>>();

/** Waits until an attempt of this process with this subject has ended, but not for longer than these milliseconds. */
export function endedOrAfter(subject: string, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const others = waiting.get(subject) ?? new Set();
    waiting.set(subject, others);
    const done = () => {
      clearTimeout(timer);
      others.delete(done);
      if (others.size === 0) waiting.delete(subject);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    others.add(done);
  });
}

/** Tells those who wait that an attempt has ended. */
export function noteEnd(subject: string): void {
  for (const done of waiting.get(subject) ?? []) done();
}
