import type { Transaction } from 'sequelize';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { latestMoment, locksInForce, ruleOf } from './throttle-rules.js';

/** The rows that count attempts, one for each subject: created, locked, changed and reset here. */

/** How long an attempt may stay pending and still fail, in milliseconds: a machine may be slow. */
export const attemptMs = 60 * 60_000;
/** How long the number of earlier locks is kept, in milliseconds. */
export const lockHistoryMs = 24 * 60 * 60_000;

export function tooMany(what: string, lockedUntil: Date, now: Date): AppError {
  const seconds = Math.max(1, Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000));
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('TOO_MANY_ATTEMPTS', `Too many ${what}. Try again in ${wait}.`, { retryAfter: seconds });
}

export const readRows = (core: Core, subjects: readonly string[]): Promise<LoginThrottle[]> =>
  core.database.read(() => core.database.models.LoginThrottle.findAll({ where: { subject: [...subjects] } }));

/** A row without any attempts, of no account. */
export const newRow = (subject: string, now: Date) => ({
  subject,
  accountId: null,
  failures: 0,
  windowStartedAt: now,
  attemptsJson: null,
  signedInAt: null,
  lockedUntil: null,
  locks: 0,
});

/** Creates the rows that don't exist, in a transaction of its own to keep the locks of a busy row short. */
export async function createMissingRows(
  core: Core,
  subjects: readonly string[],
  existing: readonly LoginThrottle[],
): Promise<void> {
  const missing = subjects.filter((subject) => !existing.some((row) => row.subject === subject));
  if (missing.length === 0) return;
  const rows = missing.map((subject) => newRow(subject, core.now()));
  // INSERT IGNORE would take shared locks on existing rows on MySQL, and two transactions that then write would deadlock.
  await core.database.inTransaction((transaction) =>
    core.database.models.LoginThrottle.bulkCreate(rows, { updateOnDuplicate: ['subject'], transaction }),
  );
}

const columns = ['failures', 'windowStartedAt', 'attemptsJson', 'signedInAt', 'lockedUntil', 'locks'] as const;

/**
 * Changes the rows of subjects with two statements. Rows are locked in key order to avoid deadlocks.
 * @param change whether it has changed anything
 * @returns the result of `change`
 */
export async function changeRows(
  core: Core,
  subjects: readonly string[],
  transaction: Transaction,
  change: (rows: LoginThrottle[]) => boolean,
): Promise<boolean> {
  const { LoginThrottle } = core.database.models;
  const rows = await LoginThrottle.findAll({
    where: { subject: [...subjects] },
    order: ['subject'],
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  if (!change(rows)) return false;
  const values = rows.map((row) => row.get({ plain: true }));
  await LoginThrottle.bulkCreate(values, { updateOnDuplicate: [...columns], transaction });
  return true;
}

/** The milliseconds since a moment; infinite for none, and for one that a clock noted that was ahead. */
export const age = (now: Date, moment: Date | number | null) =>
  moment === null || Number(moment) > latestMoment(now).getTime()
    ? Number.POSITIVE_INFINITY
    : now.getTime() - Number(moment);

/** Whether a lock is no longer part of the history, or was set by a clock that was ahead. */
const isForgotten = (lockedUntil: Date, now: Date) =>
  now.getTime() - lockedUntil.getTime() >= lockHistoryMs || lockedUntil > locksInForce(now).until;

/** Resets the counters that are too old to count. */
export function expire(row: LoginThrottle, now: Date): void {
  if (age(now, row.windowStartedAt) >= ruleOf(row.subject).windowMs) row.set({ failures: 0, windowStartedAt: now });
  if (row.lockedUntil !== null && isForgotten(row.lockedUntil, now)) row.set({ lockedUntil: null, locks: 0 });
  const recent = Object.entries(row.attempts).filter(([, startedAt]) => age(now, startedAt) < attemptMs);
  row.attempts = Object.fromEntries(recent);
}

/** The end of the last lock that is still in force; nothing when no row is locked. */
export function lastLock(rows: readonly LoginThrottle[], now: Date): Date | undefined {
  const { after, until } = locksInForce(now);
  const locks = rows.flatMap(({ lockedUntil }) =>
    lockedUntil !== null && lockedUntil > after && lockedUntil <= until ? [lockedUntil] : [],
  );
  return locks.sort((one, other) => other.getTime() - one.getTime())[0];
}

/** Counts a failure; locks the row when it is one too many. */
export function countFailure(row: LoginThrottle, now: Date): void {
  const { failures, lockMs } = ruleOf(row.subject);
  row.failures += 1;
  if (row.failures < failures) return;
  row.set({ failures: 0, windowStartedAt: now, lockedUntil: new Date(now.getTime() + lockMs(row.locks)) });
  row.locks += 1;
}
