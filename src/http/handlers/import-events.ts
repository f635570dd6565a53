import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.js';
import { presentImportWithPlan } from '../../presenters/import-plan.js';
import { isSignedIn } from '../../services/auth/sessions.js';
import type { Context } from '../../services/context.js';
import { type Caller, operator } from '../../services/core.js';
import { canUndo } from '../../services/imports/commands.js';
import { findImport } from '../../services/imports/store/find-import.js';
import { findPlan } from '../../services/imports/store/plan-store.js';
import { resumesAutomatically } from '../../services/imports/store/repository.js';
import { addTrainers } from '../../services/imports/store/trainer-imports.js';

/** Interval between reads of a watched import, in milliseconds. */
const pollMs = 500;
/** Interval between comments that keep proxies from closing an idle connection, in milliseconds. */
const heartbeatMs = 15_000;

/** Interval between checks of the caller's session, in milliseconds. */
const sessionCheckMs = 3000;

/** Maximum number of streams per account and instance. */
const maxStreams = 20;

const activeStatuses = new Set(['planning', 'queued', 'running', 'undoing']);

type ImportRecord = Awaited<ReturnType<typeof findImport>>;

/** Loads the trainer of an import, if it was read without. */
export async function withTrainer(context: Context, record: ImportRecord): Promise<ImportRecord> {
  if (record.trainer === undefined) await addTrainers(context, [record]);
  return record;
}

/** Returns an import with its plan for clients. */
export const describeImport = async (context: Context, record: ImportRecord) => ({
  ...presentImportWithPlan(await withTrainer(context, record), await findPlan(context, record)),
  canUndo: await canUndo(context, record),
});

interface ImportSnapshot {
  /** Data of an event. */
  data: string;
  /** Whether the import changes only after another command. */
  isSettled: boolean;
}

async function readImport(context: Context, id: string): Promise<ImportSnapshot> {
  // The handler has checked that the caller may see the import. All its readers see the same.
  const found = await findImport(context, operator, id);
  const data = JSON.stringify({ import: await describeImport(context, found) });
  // The worker resumes some interrupted imports automatically, so these still change.
  return { data, isSettled: !activeStatuses.has(found.status) && !resumesAutomatically(found) };
}

/**
 * Shares the snapshots of an import between streams, because the conversion of a long plan to JSON blocks the event loop
 * for many milliseconds.
 */
function createSnapshotCache() {
  const shared = new Map<string, { beganAt: number; snapshot: Promise<ImportSnapshot> }>();
  /** @param maxAgeMs maximum age of a shared snapshot; 0 always reads a new one */
  return async (context: Context, id: string, maxAgeMs: number): Promise<ImportSnapshot> => {
    const last = shared.get(id);
    if (last && performance.now() - last.beganAt < maxAgeMs) return last.snapshot;
    const next = { beganAt: performance.now(), snapshot: readImport(context, id) };
    shared.set(id, next);
    const forget = () => void (shared.get(id) === next && shared.delete(id));
    setTimeout(forget, pollMs).unref();
    next.snapshot.catch(forget);
    return next.snapshot;
  };
}

function createStreamLimit() {
  const counts = new Map<string, number>();
  return {
    /**
     * Yields the pieces of a stream if the account has fewer streams than the limit.
     * @throws AppError `OVERLOADED` before the first piece
     */
    async *within(account: string, stream: AsyncIterable<string>): AsyncGenerator<string> {
      const count = counts.get(account) ?? 0;
      if (count >= maxStreams) throw new AppError('OVERLOADED');
      counts.set(account, count + 1);
      try {
        yield* stream;
      } finally {
        const remaining = (counts.get(account) ?? 1) - 1;
        if (remaining > 0) counts.set(account, remaining);
        else counts.delete(account);
      }
    },
  };
}

/**
 * Creates the event streams of imports: `progress` when an import changes, `end` when it has ended or is planned. Both events
 * contain the import as in the response to GET. A stream also ends when its caller signs out or disconnects (`signal`). When
 * the service shuts down, streams end so that clients reconnect to another instance.
 */
export function createImportWatch(isDraining: () => boolean) {
  const streams = createStreamLimit();
  const read = createSnapshotCache();

  async function* eventsOf(context: Context, caller: Caller, id: string, signal: AbortSignal): AsyncGenerator<string> {
    let sentData = '';
    let sessionCheckedAt = performance.now();
    let sentAt = performance.now();
    // The first snapshot is new, because it must contain the client's last change.
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
      // `sleep` rejects only when the client has disconnected, which ends the loop.
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return (context: Context, caller: Caller, id: string, signal: AbortSignal): AsyncGenerator<string> =>
    streams.within(caller.user.id, eventsOf(context, caller, id, signal));
}
