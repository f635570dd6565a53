import { setTimeout as sleep } from 'node:timers/promises';
import { type AppError, systemErrorCode } from '../../../errors.js';

/** Interval between checks whether the work is still wanted, in milliseconds. */
const watchMs = 1000;

/**
 * Runs work, and stops it if it is no longer wanted. This is checked every second, because reading a file may take a minute
 * before its first row.
 * @param stop stops the work, too
 * @param findStopReason returns the reason to stop the work; undefined while the work is wanted
 */
export async function runWhileWanted<T>(
  stop: AbortSignal,
  findStopReason: () => Promise<AppError | undefined>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const finished = new AbortController();
  const onStop = () => ending.abort(stop.reason);
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop);
  const watch = async () => {
    for (;;) {
      await sleep(watchMs, undefined, { signal: finished.signal });
      // If the database is unreachable, the work itself fails.
      const reason = await findStopReason().catch(() => undefined);
      if (reason) return ending.abort(reason);
    }
  };
  const watching = watch().catch(() => undefined);
  try {
    return await work(ending.signal);
  } catch (error) {
    // A cancellation removes the file. If the work can't find the file, the cancellation is thrown as the cause.
    throw (systemErrorCode(error) === 'ENOENT' ? await findStopReason() : undefined) ?? error;
  } finally {
    finished.abort();
    stop.removeEventListener('abort', onStop);
    await watching;
  }
}
