import { Op, type Transaction } from 'sequelize';
import type { Core } from '../core.js';
import { isRecent } from '../recent.js';

/** When sessions and calendars were last used, for their owners, who look for a use that isn't theirs. */

/** Something whose use is recorded. */
interface UseKind {
  /** How precise `lastUsedAt` is, in milliseconds: a write per request would cost more than it tells. */
  precisionMs: number;
  /** @param isOutdated the condition of `lastUsedAt`: of several instances the first one writes */
  write(
    core: Core,
    id: string,
    lastUsedAt: Date,
    isOutdated: object,
    transaction: Transaction | null,
  ): Promise<unknown>;
}

const sessionUse: UseKind = {
  precisionMs: 5 * 60_000,
  write: ({ database }, id, lastUsedAt, isOutdated, transaction) =>
    database.models.Session.update({ lastUsedAt }, { where: { id, lastUsedAt: isOutdated }, transaction }),
};

/** By the id of its account. */
export const calendarUse: UseKind = {
  precisionMs: 60 * 60_000,
  write: ({ database }, userId, lastUsedAt, isOutdated, transaction) =>
    database.models.Calendar.update({ lastUsedAt }, { where: { userId, lastUsedAt: isOutdated }, transaction }),
};

/** How long recording a use may take, in milliseconds: a request waits for it. */
const recordMs = 500;

/**
 * How long no use is recorded after a failure, in milliseconds: while the database can't take writes, each attempt would
 * delay a request and occupy a connection that reads need.
 */
const pauseMs = 60_000;

/** What a process knows of the uses that it records. */
interface RecordingState {
  /** Those whose use is just being recorded. */
  pending: Set<string>;
  failedAt?: Date;
}

const recordings = new WeakMap<Core['database'], RecordingState>();

function recordingStateOf({ database }: Core): RecordingState {
  const recording = recordings.get(database) ?? { pending: new Set<string>() };
  recordings.set(database, recording);
  return recording;
}

/**
 * Records that a session or a calendar was used, unless that was recorded lately. Has a deadline of its own and never fails: a
 * request that only reads is answered also while the database can't take writes. The next request after the pause records its own
 * time.
 */
export async function recordUse(
  core: Core,
  { id, usedAt }: { id: string; usedAt: Date | null },
  now: Date,
  usable = sessionUse,
): Promise<void> {
  if (usedAt && now.getTime() - usedAt.getTime() < usable.precisionMs) return;
  const recording = recordingStateOf(core);
  const isPaused = () => recording.failedAt !== undefined && isRecent(recording.failedAt, now, pauseMs);
  if (isPaused() || recording.pending.has(id)) return;
  recording.pending.add(id);
  try {
    await core.database.withDeadline({ all: recordMs }, () => writeUse(core, id, now, usable));
  } catch (error) {
    // One line for all that fail together.
    if (!isPaused())
      core.logger.warn({ err: error }, 'could not record when a session or calendar was used: pausing for a minute');
    recording.failedAt = now;
  } finally {
    recording.pending.delete(id);
  }
}

/** A row that another instance has written meanwhile stays as it is. */
async function writeUse(core: Core, id: string, now: Date, usable: UseKind): Promise<void> {
  const isOutdated = { [Op.or]: [{ [Op.is]: null }, { [Op.lte]: new Date(now.getTime() - usable.precisionMs) }] };
  await core.database.inStatement((transaction) => usable.write(core, id, now, isOutdated, transaction ?? null));
}
