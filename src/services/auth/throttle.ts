import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Transaction } from 'sequelize';
import type { TransactionOptions } from '../../db/connection.js';
import { isDeadlineExceeded } from '../../db/deadline.js';
import { endWithSuccess, reserveAttempt, type SucceededAttempt } from '../../db/login-statements.js';
import type { Attempts, LoginThrottle } from '../../db/models/login-throttle.js';
import { AppError, isAppError } from '../../errors.js';
import { cancellationError } from '../../fair-queue.js';
import type { Core } from '../core.js';
import { endedOrAfter, inOrder, noteEnd } from './throttle-order.js';
import {
  age,
  attemptMs,
  changeRows,
  countFailure,
  expire,
  lastLock,
  lockHistoryMs,
  readRows,
  tooMany,
} from './throttle-rows.js';
import {
  addressSubject,
  latestMoment,
  locksInForce,
  pairSubject,
  ruleOf,
  subjectOf,
  type Target,
} from './throttle-rules.js';

/**
 * Limits how often passwords can be guessed, over all instances on a database. An attempt is counted before its password
 * is compared and uncounted when it was right: concurrent attempts can't exceed the limit, and right passwords don't count.
 * Each attempt has an id in the rows that count it and ends when the id is removed, so that its end is recorded only once.
 * The row of the account at the address notes attempts that it doesn't count, so that it exists when one of them succeeds.
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
/** How long the end of an attempt that was given up may take after its request, and how many may wait for that. */
const [lateMs, maxLate] = [5000, 20];
/** How long an account is known at an address after a login from there, in milliseconds. */
export const knownMs = 30 * 24 * 60 * 60_000;

/** A permitted attempt; the caller must record its end. Only the first end counts. */
export interface Attempt {
  /**
   * Runs work in a transaction, which ends the attempt with success itself (`recordLogin`): the effects of a right password
   * and the end of the attempt are committed together.
   */
  inTransaction<T>(
    work: (transaction: Transaction, attempt: SucceededAttempt) => Promise<T>,
    options?: TransactionOptions<T>,
  ): Promise<T>;
  /** The password was right: the failures of the account are reset. */
  succeeded(): Promise<void>;
  failed(): Promise<void>;
  /** The password was not compared, or the result is unknown. */
  abandoned(): Promise<void>;
}

/** Ids of earlier versions may begin with a dash: see below. Those count until the next failure in their row. */
const attemptsOlderThan = (milliseconds: number, attempts: Attempts, now: Date) =>
  Object.keys(attempts).filter((id) => !id.startsWith('-') && age(now, attempts[id] ?? null) >= milliseconds);

const pending = (row: LoginThrottle, now: Date) =>
  Object.values(row.attempts).filter((startedAt) => age(now, startedAt) < pendingMs).length;

/** In a storm of logins all wait for one row: more of this process would occupy the connections that others need. */
const queue = pLimit(3);

/** @throws AppError `TOO_MANY_ATTEMPTS` while one of the rows is locked */
function assertUnlocked(rows: readonly LoginThrottle[], now: Date): void {
  const lock = lastLock(rows, now);
  if (lock) throw tooMany('failed attempts', lock, now);
}

/**
 * Whether one more attempt may start: failures and pending attempts together stay below the limit.
 * @throws AppError `TOO_MANY_ATTEMPTS` while one of the rows is locked
 */
function mayStart(rows: readonly LoginThrottle[], now: Date): boolean {
  assertUnlocked(rows, now);
  for (const row of rows) expire(row, now);
  return rows.every((row) => row.failures + pending(row, now) < ruleOf(row.subject).failures);
}

/** The subjects that may count an attempt. */
interface Subjects {
  target: string;
  /** The account that the target is; null for an identifier without one. */
  accountId: string | null;
  address: string | undefined;
  /** The account at the address. */
  pair: string | undefined;
}

/** A started attempt. */
interface Started extends SucceededAttempt {
  /** The subjects that count it. */
  counted: readonly string[];
}

const subjectsIn = ({ target, address, pair }: Omit<Subjects, 'accountId'>) =>
  [target, address, pair].filter((subject) => subject !== undefined);

/** The subjects that count: an account that is known at an address is counted there separately from all others. */
function counting(rows: readonly LoginThrottle[], { target, address, pair }: Subjects, now: Date): readonly string[] {
  const isKnown = rows.some(({ subject, signedInAt }) => subject === pair && age(now, signedInAt) < knownMs);
  return subjectsIn({ target, address: isKnown ? undefined : address, pair: isKnown ? pair : undefined });
}

/** The rows of the subjects that count. */
function rowsThatCount(rows: readonly LoginThrottle[], wanted: Subjects, now: Date): readonly LoginThrottle[] {
  const counted = counting(rows, wanted, now);
  return rows.filter(({ subject }) => counted.includes(subject));
}

/**
 * Counts an attempt; nothing when it has to wait for pending ones.
 * @param rows what was read of the subjects; they may have changed since
 */
async function start(core: Core, wanted: Subjects, rows: readonly LoginThrottle[]): Promise<Started | undefined> {
  const now = core.now();
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
  const olderThan = (milliseconds: number) => [
    ...new Set(rows.flatMap(({ attempts }) => attemptsOlderThan(milliseconds, attempts, now))),
  ];
  const [expired, forgotten] = [olderThan(pendingMs), olderThan(attemptMs)];
  const counted = counting(rows, wanted, now);
  // Refuses most of a storm without a write.
  if (!mayStart(rowsThatCount(rows, wanted, now), now)) return undefined;
  const { target, accountId, pair } = wanted;
  const subjects = subjectsIn({ target, pair, address: counted.includes(pair ?? '') ? undefined : wanted.address });
  // Without a dash: MariaDB refuses a path to a key that begins with one.
  const id = randomBytes(9).toString('hex');
  const reservation = {
    id,
    now,
    expired,
    forgotten,
    historyStart: before(lockHistoryMs),
    inForce: locksInForce(now),
    latestMoment: latestMoment(now),
    subjects: subjects.sort().map((subject) => {
      const { failures, windowMs } = ruleOf(subject);
      return {
        subject,
        accountId: subject === wanted.address ? null : accountId,
        limit: counted.includes(subject) ? failures : undefined,
        windowStart: before(windowMs),
      };
    }),
  };
  const started = { id, subjects, counted, pair, address: wanted.address };
  try {
    return (await queue(() => reserveAttempt(core.database, reservation))) ? started : undefined;
  } catch (error) {
    if (isDeadlineExceeded()) abandonLater(core, started);
    throw error;
  }
}

/** One at a time, because they wait for rows that are busy. */
const lateQueue = pLimit(1);

/**
 * Ends an attempt whose statement was given up: a server that was waiting for its rows executes it nevertheless, and it would
 * count until it expires. Waits for the same rows behind it. Beside the request, which has no time left; so it may fail, too.
 */
function abandonLater(core: Core, started: Started): void {
  if (lateQueue.pendingCount >= maxLate) return;
  const abandon = () =>
    core.database.inTransaction((transaction) => recordEnd(core, started, 'abandoned', transaction));
  void lateQueue(() => core.database.withDeadline({ all: lateMs }, abandon)).catch(() => undefined);
}

type End = 'succeeded' | 'failed' | 'abandoned';

/**
 * Records the end of an attempt, with retries, and beyond the deadline of its request: an attempt that stays pending counts
 * against the limit of others.
 */
async function end(core: Core, started: Started, how: End): Promise<void> {
  const record = () =>
    how === 'succeeded'
      ? endWithSuccess(core.database, started, core.now())
      : core.database.inTransaction((transaction) => recordEnd(core, started, how, transaction));
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

async function recordEnd(
  core: Core,
  { id, subjects, counted }: Started,
  how: 'failed' | 'abandoned',
  transaction: Transaction,
): Promise<void> {
  const now = core.now();
  await changeRows(core, subjects, transaction, (rows) => {
    // Rows without the id have recorded its end, or were unlocked since.
    const pendingRows = rows.filter(({ attempts }) => id in attempts);
    for (const row of pendingRows) {
      expire(row, now);
      const { [id]: _ended, ...others } = row.attempts;
      row.attempts = others;
      if (how === 'failed' && counted.includes(row.subject)) countFailure(row, now);
    }
    return pendingRows.length > 0;
  });
}

/** The subjects of an attempt. */
const subjectsOf = (target: Target, ip: string | null): Subjects => ({
  target: subjectOf(target),
  accountId: 'accountId' in target ? target.accountId : null,
  address: ip === null ? undefined : addressSubject(ip),
  pair: ip === null ? undefined : pairSubject(target, ip),
});

/** What is known of an attempt that begins. */
interface Begin {
  /** The rows of its subjects, if they were just read. */
  rows?: readonly LoginThrottle[] | undefined;
  /** Gives up waiting for pending attempts. */
  signal?: AbortSignal | undefined;
}

/** Starts an attempt as soon as pending ones permit. */
async function startedInTime(core: Core, subjects: Subjects, { rows: given, signal }: Begin): Promise<Started> {
  const read = () => readRows(core, subjectsIn(subjects));
  const waitUntil = performance.now() + maxWaitMs;
  const assertWanted = () => {
    if (signal?.aborted) throw cancellationError(signal);
  };
  return inOrder(subjects.target, async () => {
    assertWanted();
    let started = await start(core, subjects, given ?? (await read()));
    for (let pause = 50; !started; pause = Math.min(2 * pause, 400)) {
      if (performance.now() >= waitUntil) throw new AppError('OVERLOADED');
      // Other instances don't tell when theirs have ended.
      await endedOrAfter(subjects.target, pause * (0.5 + Math.random()));
      assertWanted();
      started = await start(core, subjects, await read());
    }
    return started;
  });
}

/**
 * Starts an attempt to guess a password.
 * @throws AppError `TOO_MANY_ATTEMPTS`; `OVERLOADED` when too many attempts of the same subject wait or stay pending;
 *   `INTERRUPTED` when the signal was aborted before it could start
 */
export async function beginAttempt(core: Core, target: Target, ip: string | null, begin: Begin = {}): Promise<Attempt> {
  const subjects = subjectsOf(target, ip);
  assertUnlocked(rowsThatCount(begin.rows ?? [], subjects, core.now()), core.now());
  const started = await startedInTime(core, subjects, begin);
  const ended = () => noteEnd(subjects.target);
  return {
    inTransaction: (work, options) =>
      queue(() => core.database.inTransaction((transaction) => work(transaction, started), options)).finally(ended),
    succeeded: () => end(core, started, 'succeeded').finally(ended),
    failed: () => end(core, started, 'failed').finally(ended),
    abandoned: () => end(core, started, 'abandoned').finally(ended),
  };
}
