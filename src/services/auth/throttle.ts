import pLimit, { type LimitFunction } from 'p-limit';
import { col, fn, literal, Op, type Transaction } from 'sequelize';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import type { Account } from '../../db/models/user.js';
import { countAttempt } from '../../db/sql/count-attempt.js';
import { AppError } from '../../errors.js';
import { cancellationError } from '../../fair-queue.js';
import type { Core } from '../core.js';
import {
  addressPrefix,
  addressSubject,
  isForgotten,
  knownMs,
  lastLock,
  latestMoment,
  locksInForce,
  msSince,
  pairPrefixOf,
  pairSubject,
  ruleOf,
  subjectOf,
  type Target,
} from './throttle-rules.js';

/*
 * Limits how often passwords can be guessed, across all instances on a database. An attempt counts as a failure before
 * its password is compared. If the password is correct, the failure is subtracted. So concurrent attempts can't exceed
 * the limit. In this process, an account has one running attempt at a time, and one more at each address where the
 * account is known. Other attempts wait, and a waiting attempt isn't counted.
 */

/** Maximum number of logins waiting for one account; more are refused. */
const maxWaiting = 100;
/**
 * Deadline for recording the end of an attempt, in milliseconds. It replaces the deadline of the request, which may be
 * over.
 */
const recordEndMs = 2000;

/** An attempt to guess a password. */
export interface Attempt {
  /**
   * Counts the attempt, at most one time. Call it before the password comparison.
   * @throws AppError `TOO_MANY_ATTEMPTS`
   */
  count(): Promise<void>;
  /**
   * Ends a successful attempt: clears its failures in the caller's transaction.
   * @param passwordHash hash that is stored from now on
   */
  succeed(transaction: Transaction, passwordHash: string): Promise<void>;
}

const limits = new Map<string, LimitFunction>();

/**
 * Runs work after all earlier work for the same subject.
 * @throws AppError `OVERLOADED` if too much work waits already
 */
async function runOneAtATime<T>(subject: string, work: () => Promise<T>): Promise<T> {
  const limit = limits.get(subject) ?? pLimit(1);
  limits.set(subject, limit);
  if (limit.pendingCount >= maxWaiting) throw new AppError('OVERLOADED');
  try {
    return await limit(work);
  } finally {
    if (limit.activeCount + limit.pendingCount === 0) limits.delete(subject);
  }
}

function lockError(what: string, rows: readonly LoginThrottle[], now: Date): AppError | undefined {
  const lockedUntil = lastLock(rows, now);
  if (!lockedUntil) return undefined;
  const seconds = Math.max(1, Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000));
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError('TOO_MANY_ATTEMPTS', `Too many ${what}. Try again in ${wait}.`, { retryAfter: seconds });
}

const readRows = ({ database }: Core, subject: readonly string[]): Promise<LoginThrottle[]> =>
  database.read(() => database.models.LoginThrottle.findAll({ where: { subject: [...subject] } }));

export function readThrottle(core: Core, target: Target, ip: string | null): Promise<LoginThrottle[]> {
  const all = [subjectOf(target), pairSubject(target, ip), ip === null ? undefined : addressSubject(ip)];
  return readRows(
    core,
    all.filter((subject) => subject !== undefined),
  );
}

/**
 * Counts an attempt in rows.
 * @param what name of the counted requests in the message
 * @returns the time of the count
 * @throws AppError `TOO_MANY_ATTEMPTS` if one of the rows is locked, or has reached its limit with failures and running attempts
 */
export async function countOrRefuse(core: Core, subjects: readonly string[], accountId: string | null, what: string) {
  const now = core.now();
  const counted = [...subjects].sort().map((subject) => {
    const { failures, windowMs, belongsToAccount } = ruleOf(subject);
    const windowStart = new Date(now.getTime() - windowMs);
    return { subject, accountId: belongsToAccount ? accountId : null, limit: failures, windowStart };
  });
  const at = { now, inForce: locksInForce(now), latestMoment: latestMoment(now) };
  if (await countAttempt(core.database, counted, at)) return now;
  throw lockError(what, await readRows(core, subjects), now) ?? new AppError('TOO_MANY_ATTEMPTS');
}

/** Locks the rows that have reached their limit, each for longer than the last time. */
export async function lockAtLimit(core: Core, subjects: readonly string[]): Promise<void> {
  const isFull = ({ subject, failures }: LoginThrottle) => failures >= ruleOf(subject).failures;
  // Reads without row locks first, because most failures don't reach the limit.
  if (!(await readRows(core, subjects)).some(isFull)) return;
  const now = core.now();
  await core.database.inTransaction(async (transaction) => {
    const rows = await core.database.models.LoginThrottle.findAll({
      where: { subject: [...subjects] },
      // In key order, to avoid deadlocks.
      order: ['subject'],
      lock: transaction.LOCK.UPDATE,
      transaction,
    });
    const locked = rows.filter(isFull).map((row) => {
      const locks = isForgotten(row.lockedUntil, now) ? 0 : row.locks;
      const lockedUntil = new Date(now.getTime() + ruleOf(row.subject).lockMs(locks));
      return { ...row.get(), failures: 0, windowStartedAt: now, lockedUntil, locks: locks + 1 };
    });
    await core.database.models.LoginThrottle.bulkCreate(locked, {
      updateOnDuplicate: ['failures', 'windowStartedAt', 'lockedUntil', 'locks'],
      transaction,
    });
  });
}

/** Subtracts one failure from each row, unless the row has begun a new window since the failure was counted. */
async function subtractFailure(core: Core, subjects: readonly string[], countedAt: Date, transaction: Transaction) {
  const where = { subject: [...subjects], failures: { [Op.gt]: 0 }, windowStartedAt: { [Op.lte]: countedAt } };
  await core.database.models.LoginThrottle.update({ failures: literal('failures - 1') }, { where, transaction });
}

/** Resets rows of an account. `known` is the row of an address where the account is known from now on. */
async function resetFailures(
  core: Core,
  accountId: string,
  subjects: readonly string[],
  known: string | undefined,
  transaction: Transaction,
) {
  const now = core.now();
  const rows = subjects.map((subject) => ({
    subject,
    accountId,
    failures: 0,
    windowStartedAt: now,
    signedInAt: subject === known ? now : null,
    lockedUntil: null,
    locks: 0,
  }));
  await core.database.models.LoginThrottle.bulkCreate(rows, {
    updateOnDuplicate: ['failures', 'lockedUntil', 'locks', 'signedInAt'],
    transaction,
  });
}

/** Keeps the known addresses of an account when the same password gets another hash. */
export async function keepKnownAddresses(
  core: Core,
  accountId: string,
  { before, after }: { before: string; after: string },
  transaction: Transaction,
): Promise<void> {
  const [old, next] = [pairPrefixOf(accountId, before), pairPrefixOf(accountId, after)];
  await core.database.models.LoginThrottle.update(
    { subject: fn('REPLACE', col('subject'), old, next) },
    { where: { accountId, subject: { [Op.startsWith]: old } }, transaction },
  );
}

/**
 * Makes an account known at an address, after its person has proved the password or set a new one.
 * @param ip null if unknown
 */
export async function addKnownAddress(
  core: Core,
  { id: accountId, passwordHash }: Pick<Account, 'id' | 'passwordHash'>,
  ip: string | null,
  transaction: Transaction,
): Promise<void> {
  const pair = pairSubject({ accountId, passwordHash }, ip);
  if (pair !== undefined) await resetFailures(core, accountId, [pair], pair, transaction);
}

/**
 * Returns the subjects that an attempt counts for. At a known address, only the row of the account at this address
 * counts. Attempts from elsewhere don't lock it there, and attempts from there don't lock it elsewhere.
 */
function subjectsToCount(rows: readonly LoginThrottle[], target: Target, ip: string | null, now: Date): string[] {
  const pair = pairSubject(target, ip);
  const isKnown = rows.some(({ subject, signedInAt }) => subject === pair && msSince(now, signedInAt) < knownMs);
  if (pair !== undefined && isKnown) return [pair];
  return [subjectOf(target), ...(ip === null ? [] : [addressSubject(ip)])];
}

const wrongPasswordCodes = ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'CURRENT_PASSWORD_INCORRECT'];

interface ThrottleOptions {
  rows: readonly LoginThrottle[];
  /** Stops waiting for other attempts. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs work that reveals whether a password is correct, as often as the throttle permits.
 * @param work counts the attempt before the comparison, and calls `succeed` if the password is correct
 * @throws AppError `TOO_MANY_ATTEMPTS`, `OVERLOADED`, `INTERRUPTED`, and the errors of `work`
 */
export async function runThrottled<T>(
  core: Core,
  target: Target,
  ip: string | null,
  work: (attempt: Attempt) => Promise<T>,
  { rows, signal }: ThrottleOptions,
): Promise<T> {
  const counted = subjectsToCount(rows, target, ip, core.now());
  // Refuses most attempts of an attack without computing a hash or writing a row.
  const locked = lockError(
    'failed attempts',
    rows.filter(({ subject }) => counted.includes(subject)),
    core.now(),
  );
  if (locked) throw locked;
  const accountId = 'accountId' in target ? target.accountId : null;
  // Attempts at a known address don't wait for attempts of strangers elsewhere.
  const [queue = ''] = counted;
  return runOneAtATime(queue, async () => {
    if (signal?.aborted) throw cancellationError(signal);
    let countedAt: Date | undefined;
    const attempt: Attempt = {
      async count() {
        countedAt ??= await countOrRefuse(core, counted, accountId, 'failed attempts');
      },
      async succeed(transaction, passwordHash) {
        if (accountId === null) return;
        const known = pairSubject({ accountId, passwordHash }, ip);
        const others = counted.filter((subject) => subject === subjectOf(target));
        await resetFailures(core, accountId, known === undefined ? others : [...others, known], known, transaction);
        // A correct password of one account doesn't reset the failures of others at the address.
        const addresses = counted.filter((subject) => subject.startsWith(addressPrefix));
        if (addresses.length > 0 && countedAt) await subtractFailure(core, addresses, countedAt, transaction);
      },
    };
    try {
      return await work(attempt);
    } catch (error) {
      if (countedAt) await recordEnd(core, counted, countedAt, error);
      throw error;
    }
  });
}

/**
 * Records the end of a counted attempt without success. A wrong password stays counted. Otherwise, the count is undone.
 */
async function recordEnd(core: Core, counted: readonly string[], countedAt: Date, reason: unknown): Promise<void> {
  const hasFailed = reason instanceof AppError && wrongPasswordCodes.includes(reason.code);
  const record = () =>
    hasFailed
      ? lockAtLimit(core, counted)
      : core.database.inTransaction((transaction) => subtractFailure(core, counted, countedAt, transaction));
  // If this fails, the attempt stays counted as a failure, which is safe. The caller reports the reason.
  await core.database
    .withDeadline({ all: recordEndMs }, record)
    .catch((error: unknown) => core.logger.warn({ err: error }, 'the end of a login attempt could not be recorded'));
}
