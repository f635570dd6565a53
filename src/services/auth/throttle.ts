import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Transaction } from 'sequelize';
import type { TransactionOptions } from '../../db/connection.js';
import { isDeadlineExceeded } from '../../db/deadline.js';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import { AppError, isAppError } from '../../errors.js';
import type { Core } from '../core.js';
import { addressSubject, isAddress, pairSubject, ruleOf, subjectOf, type Target } from './throttle-rules.js';

/**
 * Bounds how often passwords can be guessed, over all instances on a database. An attempt is counted before its password
 * is looked at and given back when it was right: so many at once don't pass the limit, and whoever knows their password
 * never meets it, but for a wait behind others that are looked at. Each attempt has an id in the rows that count it, and
 * ends when that is removed: once, however often its end is noted.
 */

/** An attempt whose end nobody noted takes nobody's room after so long: its process has died. In milliseconds. */
const underWayMs = 60_000;
/** It may still fail for so long: a machine may be slow. In milliseconds. */
const attemptMs = 60 * 60_000;
/**
 * How long an attempt waits for those before it, in milliseconds: with hashes as slow as they are by default, two hundred
 * logins that come together take so long.
 */
const patienceMs = 30_000;
/** How often it is tried to note the end of an attempt. */
const leaveTries = 3;
/** How long that may take when the request has no time left for the database, in milliseconds. */
const overtimeMs = 500;
/** When it is forgotten how often something was locked, in milliseconds. */
export const memoryMs = 24 * 60 * 60_000;
/** How long an account that has signed in from an address is known there, in milliseconds. */
export const knownMs = 30 * 24 * 60 * 60_000;

/** An attempt that was let through; its end must be noted. Only the first end counts. */
export interface Attempt {
  /**
   * Runs work in a transaction, in which the attempt ends once `succeed` is called: what a right password brings about and
   * its end are there together, or neither is.
   */
  inTransaction<T>(
    work: (transaction: Transaction, succeed: () => Promise<void>) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T>;
  /** The password was right: the failures of the account are forgotten. */
  succeeded(): Promise<void>;
  failed(): Promise<void>;
  /** Nobody knows whether it was right. */
  abandoned(): Promise<void>;
}

export function tooMany(what: string, lockedUntil: Date, now: Date): AppError {
  const seconds = Math.max(1, Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000));
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('TOO_MANY_ATTEMPTS', `Too many ${what}. Try again in ${wait}.`, { retryAfter: seconds });
}

const seenRows = (core: Core, subjects: readonly string[]): Promise<LoginThrottle[]> =>
  core.database.read(() => core.database.models.LoginThrottle.findAll({ where: { subject: [...subjects] } }));

/** A row that counts nothing yet. */
export const newRow = (subject: string, now: Date) => ({
  ...{ subject, failures: 0, windowStartedAt: now, attemptsJson: null },
  ...{ signedInAt: null, lockedUntil: null, locks: 0 },
});

/** Makes the rows that aren't there, apart from what is done with them: the row that a storm waits for is not held so long. */
export async function makeMissing(
  core: Core,
  subjects: readonly string[],
  seen: readonly LoginThrottle[],
): Promise<void> {
  const missing = subjects.filter((subject) => !seen.some((row) => row.subject === subject));
  if (missing.length === 0) return;
  const fresh = missing.map((subject) => newRow(subject, core.now()));
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

const columns = ['failures', 'windowStartedAt', 'attemptsJson', 'signedInAt', 'lockedUntil', 'locks'] as const;

const age = (now: Date, moment: Date | number | null) =>
  moment === null ? Number.POSITIVE_INFINITY : now.getTime() - Number(moment);

/** Forgets what is too old to count. */
export function expire(row: LoginThrottle, now: Date): void {
  if (age(now, row.windowStartedAt) >= ruleOf(row.subject).windowMs) row.set({ failures: 0, windowStartedAt: now });
  if (row.lockedUntil !== null && age(now, row.lockedUntil) >= memoryMs) row.set({ lockedUntil: null, locks: 0 });
  const young = Object.entries(row.attempts).filter(([, begunAt]) => age(now, begunAt) < attemptMs);
  row.attempts = Object.fromEntries(young);
}

const underWay = (row: LoginThrottle, now: Date) =>
  Object.values(row.attempts).filter((begunAt) => age(now, begunAt) < underWayMs).length;

/** The last lock that has not ended; nothing where none is locked. */
export function lastLock(rows: readonly LoginThrottle[], now: Date): Date | undefined {
  const locks = rows.flatMap(({ lockedUntil }) => (lockedUntil !== null && lockedUntil > now ? [lockedUntil] : []));
  return locks.sort((one, other) => other.getTime() - one.getTime())[0];
}

/** In a storm all wait for one row: as many of this process as wait in the database leave its connections to others. */
const inTurn = pLimit(3);

/**
 * Whether there is room for one more attempt, at most as many as may fail being under way.
 * @throws AppError `TOO_MANY_ATTEMPTS` while one of them is locked
 */
function hasRoom(rows: readonly LoginThrottle[], now: Date): boolean {
  const lock = lastLock(rows, now);
  if (lock) throw tooMany('failed attempts', lock, now);
  for (const row of rows) expire(row, now);
  return rows.every((row) => row.failures + underWay(row, now) < ruleOf(row.subject).failures);
}

/** What an attempt can be counted by. */
interface Subjects {
  target: string;
  address: string | undefined;
  /** Of the account at the address. */
  pair: string | undefined;
}

/** An attempt, and what it is counted by. */
interface Entered {
  id: string;
  subjects: readonly string[];
  pair: string | undefined;
}

/** The rows that count: an account that has signed in from an address lately isn't counted with all others there. */
function counting(rows: readonly LoginThrottle[], { target, address, pair }: Subjects, now: Date) {
  const isKnown = rows.some(({ subject, signedInAt }) => subject === pair && age(now, signedInAt) < knownMs);
  const subjects = [target, isKnown ? pair : address].filter((subject) => subject !== undefined).sort();
  return { subjects, rows: rows.filter(({ subject }) => subjects.includes(subject)) };
}

/** Counts the attempt in, where there is room for it. */
async function enter(core: Core, asked: Subjects): Promise<Entered | undefined> {
  const now = core.now();
  const all = [asked.target, asked.address, asked.pair].filter((subject) => subject !== undefined);
  // Most of a storm is turned away here, without a write.
  if (!hasRoom(counting(await seenRows(core, all), asked, now).rows, now)) return undefined;
  return inTurn(async () => {
    const { subjects, rows: seen } = counting(await seenRows(core, all), asked, now);
    if (!hasRoom(seen, now)) return undefined;
    await makeMissing(core, subjects, seen);
    const id = randomBytes(9).toString('base64url');
    const isIn = await core.database.inTransaction((transaction) =>
      changeRows(core, subjects, transaction, (rows) => {
        // One may have been swept away meanwhile; it is made at the next try.
        if (rows.length < subjects.length || !hasRoom(rows, now)) return false;
        for (const row of rows) row.attempts = { ...row.attempts, [id]: now.getTime() };
        return true;
      }),
    );
    return isIn ? { id, subjects, pair: asked.pair } : undefined;
  });
}

export function countFailure(row: LoginThrottle, now: Date): void {
  const { failures, lockMs } = ruleOf(row.subject);
  row.failures += 1;
  if (row.failures < failures) return;
  row.set({ failures: 0, windowStartedAt: now, lockedUntil: new Date(now.getTime() + lockMs(row.locks)) });
  row.locks += 1;
}

type End = 'succeeded' | 'failed' | 'abandoned';

/**
 * Notes the end of an attempt, if need be at another try, or beyond the time that its request had: one that stays counted
 * in takes the room of others.
 */
async function leave(core: Core, entered: Entered, end: End): Promise<void> {
  const note = () => core.database.inTransaction((transaction) => countOut(core, entered, end, transaction));
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTurn(note);
    } catch (error) {
      // Not in turn: others there may be waiting for a database that doesn't answer.
      if (isDeadlineExceeded()) return core.database.withDeadline({ all: overtimeMs }, note);
      if (tries >= leaveTries || !isAppError(error, 'OVERLOADED', 'DATABASE_UNREACHABLE')) throw error;
      await sleep(tries * (100 + 200 * Math.random()));
    }
  }
}

async function countOut(core: Core, { id, subjects, pair }: Entered, end: End, transaction: Transaction) {
  const now = core.now();
  const isFirst = await changeRows(core, subjects, transaction, (rows) => {
    // Rows that don't know it have seen its end, or were released meanwhile.
    const counted = rows.filter(({ attempts }) => id in attempts);
    for (const row of counted) {
      expire(row, now);
      const { [id]: _ended, ...others } = row.attempts;
      row.attempts = others;
      if (end === 'failed') countFailure(row, now);
      // An address is as good as whoever uses it: one right password says nothing of the others.
      if (end === 'succeeded' && !isAddress(row.subject)) row.set({ failures: 0, lockedUntil: null, locks: 0 });
      if (end === 'succeeded' && row.subject === pair) row.signedInAt = now;
    }
    return counted.length > 0;
  });
  if (!isFirst || end !== 'succeeded' || pair === undefined || subjects.includes(pair)) return;
  const known = { ...newRow(pair, now), signedInAt: now };
  await core.database.models.LoginThrottle.bulkCreate([known], { updateOnDuplicate: ['signedInAt'], transaction });
}

/**
 * Lets an attempt to guess a password through, or not.
 * @throws AppError `TOO_MANY_ATTEMPTS`; `OVERLOADED` when too many attempts of the same are under way to tell
 */
export async function beginAttempt(core: Core, target: Target, ip: string | null): Promise<Attempt> {
  const subjects: Subjects = {
    target: subjectOf(target),
    address: ip === null ? undefined : addressSubject(ip),
    pair: ip === null ? undefined : pairSubject(target, ip),
  };
  const deadline = performance.now() + patienceMs;
  let entered = await enter(core, subjects);
  for (let pause = 50; !entered; pause = Math.min(2 * pause, 400)) {
    if (performance.now() >= deadline) throw new AppError('OVERLOADED');
    await sleep(pause * (0.5 + Math.random()));
    entered = await enter(core, subjects);
  }
  const mine = entered;
  return {
    inTransaction: (work, options) =>
      inTurn(() =>
        core.database.inTransaction(
          (transaction) => work(transaction, () => countOut(core, mine, 'succeeded', transaction)),
          options,
        ),
      ),
    succeeded: () => leave(core, mine, 'succeeded'),
    failed: () => leave(core, mine, 'failed'),
    abandoned: () => leave(core, mine, 'abandoned'),
  };
}
