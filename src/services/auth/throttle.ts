import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Transaction } from 'sequelize';
import type { TransactionOptions } from '../../db/connection.js';
import { isDeadlineExceeded } from '../../db/deadline.js';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import { AppError, isAppError } from '../../errors.js';
import type { Core } from '../core.js';
import {
  age,
  changeRows,
  countFailure,
  createMissingRows,
  expire,
  lastLock,
  newRow,
  readRows,
  tooMany,
} from './throttle-rows.js';
import { addressSubject, isAddress, pairSubject, ruleOf, subjectOf, type Target } from './throttle-rules.js';

/**
 * Limits how often passwords can be guessed, over all instances on a database. An attempt is counted before its password
 * is compared and uncounted when it was right: concurrent attempts can't exceed the limit, and right passwords don't count.
 * Each attempt has an id in the rows that count it and ends when the id is removed, so that its end is recorded only once.
 */

/** A pending attempt counts against the limit for so long: after that its process has died. In milliseconds. */
const pendingMs = 60_000;
/**
 * How long an attempt waits for pending ones, in milliseconds: two hundred concurrent logins take so long with hashes of
 * the default cost.
 */
const maxWaitMs = 30_000;
/** How often recording the end of an attempt is tried. */
const endTries = 3;
/** How long recording it may take when the deadline of the request has passed, in milliseconds. */
const overtimeMs = 250;
/** How long an account is known at an address after a login from there, in milliseconds. */
export const knownMs = 30 * 24 * 60 * 60_000;

/** A permitted attempt; the caller must record its end. Only the first end counts. */
export interface Attempt {
  /**
   * Runs work in a transaction, in which the attempt ends when `succeed` is called: the effects of a right password and
   * the end of the attempt are committed together.
   */
  inTransaction<T>(
    work: (transaction: Transaction, succeed: () => Promise<void>) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T>;
  /** The password was right: the failures of the account are reset. */
  succeeded(): Promise<void>;
  failed(): Promise<void>;
  /** The password was not compared, or the result is unknown. */
  abandoned(): Promise<void>;
}

const pending = (row: LoginThrottle, now: Date) =>
  Object.values(row.attempts).filter((startedAt) => age(now, startedAt) < pendingMs).length;

/** In a storm of logins all wait for one row: more of this process would occupy the connections that others need. */
const queue = pLimit(3);

/**
 * Whether one more attempt may start: failures and pending attempts together stay below the limit.
 * @throws AppError `TOO_MANY_ATTEMPTS` while one of the rows is locked
 */
function mayStart(rows: readonly LoginThrottle[], now: Date): boolean {
  const lock = lastLock(rows, now);
  if (lock) throw tooMany('failed attempts', lock, now);
  for (const row of rows) expire(row, now);
  return rows.every((row) => row.failures + pending(row, now) < ruleOf(row.subject).failures);
}

/** The subjects that may count an attempt. */
interface Subjects {
  target: string;
  address: string | undefined;
  /** The account at the address. */
  pair: string | undefined;
}

/** A started attempt, and the subjects that count it. */
interface Started {
  id: string;
  subjects: readonly string[];
  pair: string | undefined;
}

/** The rows that count: an account that is known at an address is counted there separately from all others. */
function counting(rows: readonly LoginThrottle[], { target, address, pair }: Subjects, now: Date) {
  const isKnown = rows.some(({ subject, signedInAt }) => subject === pair && age(now, signedInAt) < knownMs);
  const subjects = [target, isKnown ? pair : address].filter((subject) => subject !== undefined).sort();
  return { subjects, rows: rows.filter(({ subject }) => subjects.includes(subject)) };
}

/** Counts an attempt; nothing when it has to wait for pending ones. */
async function start(core: Core, wanted: Subjects): Promise<Started | undefined> {
  const now = core.now();
  const all = [wanted.target, wanted.address, wanted.pair].filter((subject) => subject !== undefined);
  // Refuses most of a storm without a write.
  if (!mayStart(counting(await readRows(core, all), wanted, now).rows, now)) return undefined;
  return queue(async () => {
    const { subjects, rows: existing } = counting(await readRows(core, all), wanted, now);
    if (!mayStart(existing, now)) return undefined;
    await createMissingRows(core, subjects, existing);
    const id = randomBytes(9).toString('base64url');
    const isCounted = await core.database.inTransaction((transaction) =>
      changeRows(core, subjects, transaction, (rows) => {
        // The cleanup may have deleted a row since; the next try creates it again.
        if (rows.length < subjects.length || !mayStart(rows, now)) return false;
        for (const row of rows) row.attempts = { ...row.attempts, [id]: now.getTime() };
        return true;
      }),
    );
    return isCounted ? { id, subjects, pair: wanted.pair } : undefined;
  });
}

type End = 'succeeded' | 'failed' | 'abandoned';

/**
 * Records the end of an attempt, with retries, and beyond the deadline of its request: an attempt that stays pending counts
 * against the limit of others.
 */
async function end(core: Core, started: Started, how: End): Promise<void> {
  const record = () => core.database.inTransaction((transaction) => recordEnd(core, started, how, transaction));
  for (let tries = 1; ; tries += 1) {
    try {
      return await queue(record);
    } catch (error) {
      // Not queued: the queue may be waiting for a database that doesn't answer.
      if (isDeadlineExceeded()) return core.database.withDeadline({ all: overtimeMs }, record);
      if (tries >= endTries || !isAppError(error, 'OVERLOADED', 'DATABASE_UNREACHABLE')) throw error;
      await sleep(tries * (100 + 200 * Math.random()));
    }
  }
}

async function recordEnd(core: Core, { id, subjects, pair }: Started, how: End, transaction: Transaction) {
  const now = core.now();
  const isFirst = await changeRows(core, subjects, transaction, (rows) => {
    // Rows without the id have recorded its end, or were unlocked since.
    const counted = rows.filter(({ attempts }) => id in attempts);
    for (const row of counted) {
      expire(row, now);
      const { [id]: _ended, ...others } = row.attempts;
      row.attempts = others;
      if (how === 'failed') countFailure(row, now);
      // A right password of one account doesn't vouch for others at the same address.
      if (how === 'succeeded' && !isAddress(row.subject)) row.set({ failures: 0, lockedUntil: null, locks: 0 });
      if (how === 'succeeded' && row.subject === pair) row.signedInAt = now;
    }
    return counted.length > 0;
  });
  if (!isFirst || how !== 'succeeded' || pair === undefined || subjects.includes(pair)) return;
  const known = { ...newRow(pair, now), signedInAt: now };
  await core.database.models.LoginThrottle.bulkCreate([known], { updateOnDuplicate: ['signedInAt'], transaction });
}

/**
 * Starts an attempt to guess a password.
 * @throws AppError `TOO_MANY_ATTEMPTS`; `OVERLOADED` when too many attempts of the same subject stay pending
 */
export async function beginAttempt(core: Core, target: Target, ip: string | null): Promise<Attempt> {
  const subjects: Subjects = {
    target: subjectOf(target),
    address: ip === null ? undefined : addressSubject(ip),
    pair: ip === null ? undefined : pairSubject(target, ip),
  };
  const waitUntil = performance.now() + maxWaitMs;
  let attempt = await start(core, subjects);
  for (let pause = 50; !attempt; pause = Math.min(2 * pause, 400)) {
    if (performance.now() >= waitUntil) throw new AppError('OVERLOADED');
    await sleep(pause * (0.5 + Math.random()));
    attempt = await start(core, subjects);
  }
  const started = attempt;
  return {
    inTransaction: (work, options) =>
      queue(() =>
        core.database.inTransaction(
          (transaction) => work(transaction, () => recordEnd(core, started, 'succeeded', transaction)),
          options,
        ),
      ),
    succeeded: () => end(core, started, 'succeeded'),
    failed: () => end(core, started, 'failed'),
    abandoned: () => end(core, started, 'abandoned'),
  };
}
