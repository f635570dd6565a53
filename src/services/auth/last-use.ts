import { Op, type Transaction } from 'sequelize';
import type { Core } from '../core.js';
import { isRecent } from '../dates.js';

/** Times of the last use of sessions, identities and calendars, by which their owners can detect use by other people. */

/** Kind of object whose use is recorded. */
interface UseKind {
  /** Precision of `lastUsedAt`, in milliseconds: a write per request would cost too much. */
  precisionMs: number;
  /** @param isOutdated condition on `lastUsedAt`: of several instances, only the first one writes */
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

export const identityUse: UseKind = {
  precisionMs: 5 * 60_000,
  write: ({ database }, id, lastUsedAt, isOutdated, transaction) =>
    database.models.Identity.update({ lastUsedAt }, { where: { id, lastUsedAt: isOutdated }, transaction }),
};

/** Calendars have the id of their account. */
export const calendarUse: UseKind = {
  precisionMs: 60 * 60_000,
  write: ({ database }, userId, lastUsedAt, isOutdated, transaction) =>
    database.models.Calendar.update({ lastUsedAt }, { where: { userId, lastUsedAt: isOutdated }, transaction }),
};

/** Deadline for recording a use, in milliseconds: a request waits for it. */
const recordMs = 500;

/**
 * Pause after a failure, in milliseconds. While the database accepts no writes, each attempt would delay a request and occupy a
 * connection that reads need.
 */
const pauseMs = 60_000;

interface RecordingState {
  /** Ids whose use is being recorded. */
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
 * Records the use of a session, identity or calendar, unless a use was recorded recently. Has its own deadline and never fails,
 * so that requests that only read succeed while the database accepts no writes. After the pause, the next request is
 * recorded.
 */
export async function recordUse(
  core: Core,
  { id, usedAt }: { id: string; usedAt: Date | null },
  now: Date,
  kind = sessionUse,
): Promise<void> {
  if (usedAt && now.getTime() - usedAt.getTime() < kind.precisionMs) return;
  const recording = recordingStateOf(core);
  const isPaused = () => recording.failedAt !== undefined && isRecent(recording.failedAt, now, pauseMs);
  if (isPaused() || recording.pending.has(id)) return;
  recording.pending.add(id);
  try {
    await core.database.withDeadline({ all: recordMs }, () => writeUse(core, id, now, kind));
  } catch (error) {
    // Concurrent failures write only one line to the log.
    if (!isPaused())
      core.logger.warn(
        { err: error },
        'could not record when a session, identity or calendar was used: pausing for a minute',
      );
    recording.failedAt = now;
  } finally {
    recording.pending.delete(id);
  }
}

/** Records a use, unless another instance has just recorded one. */
async function writeUse(core: Core, id: string, now: Date, kind: UseKind): Promise<void> {
  const isOutdated = { [Op.or]: [{ [Op.is]: null }, { [Op.lte]: new Date(now.getTime() - kind.precisionMs) }] };
  await core.database.inStatement((transaction) => kind.write(core, id, now, isOutdated, transaction ?? null));
}
