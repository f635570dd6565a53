import { AppError } from '../../errors.js';

/** The order of attempts that wait in this process for others of the same target: first come, first served. */

/** How many may wait for their turn to guess the password of one account: others are refused. */
const maxWaiting = 100;

const waitingFor = new Map<string, number>();
const last = new Map<string, Promise<void>>();

/** Runs work after all earlier work for the same subject. @throws AppError `OVERLOADED` when too many wait for it */
export async function inOrder<T>(subject: string, work: () => Promise<T>): Promise<T> {
  const others = waitingFor.get(subject) ?? 0;
  if (others >= maxWaiting) throw new AppError('OVERLOADED');
  waitingFor.set(subject, others + 1);
  const own = (last.get(subject) ?? Promise.resolve()).then(work);
  const settled = own.then(
    () => undefined,
    () => undefined,
  );
  last.set(subject, settled);
  void settled.then(() => {
    const left = (waitingFor.get(subject) ?? 1) - 1;
    if (left > 0) waitingFor.set(subject, left);
    else waitingFor.delete(subject);
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
