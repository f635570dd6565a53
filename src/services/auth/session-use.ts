import { Op } from 'sequelize';
import type { SessionWithUser } from '../../db/sql/session-query.js';
import type { Core } from '../core.js';
import { isRecent } from '../recent.js';

/** When sessions were last used, for their owners, who look for one that isn't theirs. */

/** How precise `lastUsedAt` is, in milliseconds: a write per request would cost more than it tells. */
const precisionMs = 5 * 60_000;

/** How long recording a use may take, in milliseconds: a request waits for it. */
const recordMs = 500;

/**
 * How long no use is recorded after a failure, in milliseconds: while the database can't take writes, each attempt would
 * delay a request and occupy a connection that reads need.
 */
const pauseMs = 60_000;

/** What a process knows of the uses that it records. */
interface Recording {
  /** Sessions whose use is just being recorded. */
  pending: Set<string>;
  failedAt?: Date;
}

const recordings = new WeakMap<Core['database'], Recording>();

function recordingIn({ database }: Core): Recording {
  const recording = recordings.get(database) ?? { pending: new Set<string>() };
  recordings.set(database, recording);
  return recording;
}

/**
 * Records that a session was used, unless that was recorded lately. Has a deadline of its own and never fails: a request that
 * only reads is answered also while the database can't take writes. The next request after the pause records its own time.
 */
export async function recordUse(core: Core, { id, usedAt }: SessionWithUser, now: Date): Promise<void> {
  if (now.getTime() - usedAt.getTime() < precisionMs) return;
  const recording = recordingIn(core);
  const isPaused = () => recording.failedAt !== undefined && isRecent(recording.failedAt, now, pauseMs);
  if (isPaused() || recording.pending.has(id)) return;
  recording.pending.add(id);
  try {
    await core.database.withDeadline({ all: recordMs }, () => update(core, id, now));
  } catch (error) {
    // One line for all that fail together.
    if (!isPaused()) core.logger.warn({ err: error }, 'could not record when sessions were used: pausing for a minute');
    recording.failedAt = now;
  } finally {
    recording.pending.delete(id);
  }
}

/** Of several instances the first one writes: the row was read before. */
async function update({ database }: Core, id: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - precisionMs);
  const where = { id, lastUsedAt: { [Op.or]: [{ [Op.is]: null }, { [Op.lte]: before }] } };
  await database.inStatement((transaction) =>
    database.models.Session.update({ lastUsedAt: now }, { where, transaction: transaction ?? null }),
  );
}
