import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { presentImportWithPlan } from '../../presenters/import-plan.js';
import { isSignedIn } from '../../services/auth/sessions.js';
import type { Context } from '../../services/context.js';
import type { Caller } from '../../services/core.js';
import { canUndo } from '../../services/imports/commands.js';
import { findImport } from '../../services/imports/store/find-import.js';
import { findPlan } from '../../services/imports/store/plan-store.js';
import { resumesAutomatically } from '../../services/imports/store/repository.js';

/** How often a watched import is read, in milliseconds. */
const pollMs = 500;
/** How often a comment is sent, so that proxies don't close the idle connection, in milliseconds. */
const heartbeatMs = 15_000;

/** How often the session of the caller is checked, in milliseconds. */
const sessionCheckMs = 3000;

/** Per account and instance. */
const maxStreams = 20;

const activeStatuses = new Set(['planning', 'queued', 'running', 'undoing']);

/** An import with its plan, as clients see it. */
export const describeImport = async (context: Context, record: Awaited<ReturnType<typeof findImport>>) => ({
  ...presentImportWithPlan(record, await findPlan(context, record)),
  canUndo: await canUndo(context, record),
});

/** What a stream sends of an import. */
interface ImportSnapshot {
  /** The data of an event. */
  data: string;
  /** Whether nothing changes any more by itself. */
  isSettled: boolean;
}

async function readImport(context: Context, id: string): Promise<ImportSnapshot> {
  const found = await findImport(context, id);
  const data = JSON.stringify({ import: await describeImport(context, found) });
  // The worker resumes its own imports.
  return { data, isSettled: !activeStatuses.has(found.status) && !resumesAutomatically(found) };
}

/** Readings that the streams of an import share: one with a long plan takes the event loop many milliseconds. */
function createSnapshotCache() {
  const shared = new Map<string, { beganAt: number; reading: Promise<ImportSnapshot> }>();
  /** @param maxAgeMs how long ago the reading may have begun; one of 0 is of its own */
  return async (context: Context, id: string, maxAgeMs: number): Promise<ImportSnapshot> => {
    const last = shared.get(id);
    if (last && performance.now() - last.beganAt < maxAgeMs) return last.reading;
    const next = { beganAt: performance.now(), reading: readImport(context, id) };
    shared.set(id, next);
    const forget = () => void (shared.get(id) === next && shared.delete(id));
    setTimeout(forget, pollMs).unref();
    next.reading.catch(forget);
    return next.reading;
  };
}

/** Counts the streams of each account. */
function createStreamLimit() {
  const counts = new Map<string, number>();
  return {
    /** Streams while the account has fewer than its limit. @throws AppError `OVERLOADED`, instead of the first piece */
    async *within(account: string, stream: AsyncIterable<string>): AsyncGenerator<string> {
      const count = counts.get(account) ?? 0;
      if (count >= maxStreams) throw new AppError('OVERLOADED');
      counts.set(account, count + 1);
      try {
        yield* stream;
      } finally {
        const left = (counts.get(account) ?? 1) - 1;
        if (left > 0) counts.set(account, left);
        else counts.delete(account);
      }
    },
  };
}

/**
 * Watches imports: `progress` events whenever one changes, `end` when it has ended or is planned, both with the import as
 * GET shows it. A stream ends also when its caller is signed out, leaves (`signal`), or when the service shuts down: then the
 * client reconnects, to another instance.
 */
export function createImportWatch(isDraining: () => boolean) {
  const streams = createStreamLimit();
  const read = createSnapshotCache();

  async function* eventsOf(context: Context, caller: Caller, id: string, signal: AbortSignal): AsyncGenerator<string> {
    let sentData = '';
    let sessionCheckedAt = performance.now();
    let sentAt = performance.now();
    // Not a shared reading: it must show what the client has just done.
    for (let maxAgeMs = 0; !signal.aborted; maxAgeMs = pollMs) {
      if (performance.now() - sessionCheckedAt > sessionCheckMs) {
        if (!(await isSignedIn(context, caller))) return;
        sessionCheckedAt = performance.now();
      }
      const { data, isSettled } = await read(context, id, maxAgeMs);
      if (data !== sentData) {
        yield `event: progress\ndata: ${data}\n\n`;
        sentData = data;
        sentAt = performance.now();
      } else if (performance.now() - sentAt > heartbeatMs) {
        yield ': still there\n\n';
        sentAt = performance.now();
      }
      if (isSettled) {
        yield `event: end\ndata: ${data}\n\n`;
        return;
      }
      if (isDraining()) return;
      // It rejects only when the client has disconnected, which ends the loop.
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return (context: Context, caller: Caller, id: string, signal: AbortSignal): AsyncGenerator<string> =>
    streams.within(caller.user.id, eventsOf(context, caller, id, signal));
}
