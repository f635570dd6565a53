import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Op, type Transaction } from 'sequelize';
import type { LoginThrottle } from '../db/models/login-throttle.js';
import { AppError, isAppError } from '../errors.js';
import type { Core } from './core.js';
import { addressSubject, isAddress, ruleOf, subjectOf, type Target } from './throttle-rules.js';

/**
 * Bounds how often passwords can be guessed, over all instances on a database. An attempt is counted before its password
 * is looked at and given back when it was right: so many at once don't pass the limit, and whoever knows their password
 * never meets it, but for a wait behind others that are looked at.
 */

/** An attempt whose end nobody noted ended with the process that made it, in milliseconds. */
const underWayMs = 60_000;
/**
 * How long an attempt waits for those before it, in milliseconds: with hashes as slow as they are by default, a hundred
 * logins of one account that come together take so long.
 */
const patienceMs = 15_000;
/** How often it is tried to note the end of an attempt. */
const leaveTries = 3;
/** When it is forgotten how often something was locked, in milliseconds. */
const memoryMs = 24 * 60 * 60_000;

/** An attempt that was let through; exactly one of its ends must be noted. */
export interface Attempt {
  /** The password was right: the failures of the account are forgotten. */
  succeeded(): Promise<void>;
  failed(): Promise<void>;
  /** Nobody knows whether it was right. */
  abandoned(): Promise<void>;
}

function tooMany(lockedUntil: Date, now: Date): AppError {
  const seconds = Math.max(1, Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000));
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('TOO_MANY_ATTEMPTS', `Too many failed attempts. Try again in ${wait}.`, { retryAfter: seconds });
}

const seenRows = (core: Core, subjects: readonly string[]): Promise<LoginThrottle[]> =>
  core.database.read(() => core.database.models.LoginThrottle.findAll({ where: { subject: [...subjects] } }));

/** Makes the rows that aren't there, apart from what is done with them: the row that a storm waits for is not held so long. */
async function makeMissing(core: Core, subjects: readonly string[], seen: readonly LoginThrottle[]): Promise<void> {
  const missing = subjects.filter((subject) => !seen.some((row) => row.subject === subject));
  if (missing.length === 0) return;
  const fresh = missing.map((subject) => ({
    ...{ subject, failures: 0, windowStartedAt: core.now(), underWay: 0 },
    ...{ underWaySince: null, lockedUntil: null, locks: 0 },
  }));
  // Not by ignoring duplicates: MySQL would lock what is there for reading only, and two that go on to write wait for
  // each other.
  await core.database.inTransaction((transaction) =>
    core.database.models.LoginThrottle.bulkCreate(fresh, { updateOnDuplicate: ['subject'], transaction }),
  );
}

/**
 * Changes the rows of subjects, locked in one order: whoever waits for a row holds none behind it. Two ways to the
 * database lie between the lock and the commit.
 * @param change tells whether there is anything to be kept
 * @returns what it told
 */
async function changeRows(
  core: Core,
  subjects: readonly string[],
  change: (rows: LoginThrottle[]) => boolean,
): Promise<boolean> {
  const { LoginThrottle } = core.database.models;
  return core.database.inTransaction(async (transaction) => {
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
  });
}

const columns = ['failures', 'windowStartedAt', 'underWay', 'underWaySince', 'lockedUntil', 'locks'] as const;

const age = (now: Date, moment: Date | null) =>
  moment === null ? Number.POSITIVE_INFINITY : now.getTime() - moment.getTime();

/** Forgets what is too old to count. */
function expire(row: LoginThrottle, now: Date): void {
  if (age(now, row.windowStartedAt) >= ruleOf(row.subject).windowMs) row.set({ failures: 0, windowStartedAt: now });
  if (age(now, row.underWaySince) >= underWayMs) row.set({ underWay: 0, underWaySince: null });
  if (row.lockedUntil !== null && age(now, row.lockedUntil) >= memoryMs) row.set({ lockedUntil: null, locks: 0 });
}

/** @throws AppError `TOO_MANY_ATTEMPTS` while one of them is locked */
function assertOpen(rows: readonly LoginThrottle[], now: Date): void {
  const locks = rows.flatMap(({ lockedUntil }) => (lockedUntil !== null && lockedUntil > now ? [lockedUntil] : []));
  const last = locks.sort((one, other) => other.getTime() - one.getTime())[0];
  if (last) throw tooMany(last, now);
}

/** In a storm all wait for one row: as many of this process as wait in the database leave its connections to others. */
const inTurn = pLimit(3);

/** Whether there is room for one more attempt, at most as many as may fail being under way. */
function hasRoom(rows: readonly LoginThrottle[], now: Date): boolean {
  assertOpen(rows, now);
  for (const row of rows) expire(row, now);
  return rows.every((row) => row.failures + row.underWay < ruleOf(row.subject).failures);
}

/** Counts the attempt in, where there is room for it. @returns whether there was */
async function enter(core: Core, subjects: readonly string[]): Promise<boolean> {
  const now = core.now();
  // Most of a storm is turned away here, without a write.
  if (!hasRoom(await seenRows(core, subjects), now)) return false;
  return inTurn(async () => {
    const seen = await seenRows(core, subjects);
    if (!hasRoom(seen, now)) return false;
    await makeMissing(core, subjects, seen);
    return changeRows(core, subjects, (rows) => {
      // One may have been swept away meanwhile; it is made at the next try.
      if (rows.length < subjects.length || !hasRoom(rows, now)) return false;
      for (const row of rows) row.set({ underWay: row.underWay + 1, underWaySince: row.underWaySince ?? now });
      return true;
    });
  });
}

function countFailure(row: LoginThrottle, now: Date): void {
  const { failures, lockMs } = ruleOf(row.subject);
  row.failures += 1;
  if (row.failures < failures) return;
  row.set({ failures: 0, windowStartedAt: now, lockedUntil: new Date(now.getTime() + lockMs(row.locks)) });
  row.locks += 1;
}

type End = 'succeeded' | 'failed' | 'abandoned';

/** Notes the end of an attempt, if need be at another try: one that stays counted in takes the room of others. */
async function leave(core: Core, subjects: readonly string[], end: End): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTurn(() => countOut(core, subjects, end));
    } catch (error) {
      if (tries >= leaveTries || !isAppError(error, 'OVERLOADED', 'DATABASE_UNREACHABLE')) throw error;
      await sleep(tries * (100 + 200 * Math.random()));
    }
  }
}

async function countOut(core: Core, subjects: readonly string[], end: End): Promise<void> {
  const now = core.now();
  // Released while the attempt was under way, it counts all the same.
  await makeMissing(core, subjects, await seenRows(core, subjects));
  await changeRows(core, subjects, (rows) => {
    for (const row of rows) {
      expire(row, now);
      const underWay = Math.max(0, row.underWay - 1);
      row.set({ underWay, ...(underWay === 0 && { underWaySince: null }) });
      if (end === 'failed') countFailure(row, now);
      // An address is as good as whoever uses it: one right password says nothing of the others.
      if (end === 'succeeded' && !isAddress(row.subject)) row.set({ failures: 0, lockedUntil: null, locks: 0 });
    }
    return true;
  });
}

/**
 * Lets an attempt to guess a password through, or not.
 * @throws AppError `TOO_MANY_ATTEMPTS`; `OVERLOADED` when too many attempts of the same are under way to tell
 */
export async function beginAttempt(core: Core, target: Target, ip: string | null): Promise<Attempt> {
  const subjects = [subjectOf(target), ...(ip === null ? [] : [addressSubject(ip)])].sort();
  const deadline = performance.now() + patienceMs;
  for (let pause = 50; !(await enter(core, subjects)); pause = Math.min(2 * pause, 400)) {
    if (performance.now() >= deadline) throw new AppError('OVERLOADED');
    await sleep(pause * (0.5 + Math.random()));
  }
  return {
    succeeded: () => leave(core, subjects, 'succeeded'),
    failed: () => leave(core, subjects, 'failed'),
    abandoned: () => leave(core, subjects, 'abandoned'),
  };
}

/** Until when an account is locked; null when it isn't. */
export async function lockOf(core: Core, accountId: string): Promise<Date | null> {
  const row = await core.database.read(() => core.database.models.LoginThrottle.findByPk(subjectOf({ accountId })));
  return row?.lockedUntil && row.lockedUntil > core.now() ? row.lockedUntil : null;
}

/** Forgets the failures of an account, in the caller's transaction. */
export async function releaseLock(core: Core, accountId: string, transaction: Transaction): Promise<void> {
  await core.database.models.LoginThrottle.destroy({ where: { subject: subjectOf({ accountId }) }, transaction });
}

/** Removes what is too old to count. */
export async function sweepThrottle(core: Core): Promise<number> {
  const before = new Date(core.now().getTime() - memoryMs);
  return core.database.inTransaction((transaction) =>
    core.database.models.LoginThrottle.destroy({
      where: {
        windowStartedAt: { [Op.lt]: before },
        [Op.or]: [{ lockedUntil: null }, { lockedUntil: { [Op.lt]: before } }],
      },
      transaction,
    }),
  );
}
