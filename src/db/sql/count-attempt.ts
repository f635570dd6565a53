import type { Sequelize } from 'sequelize';
import { AppError } from '../../errors.js';
import type { Database } from '../connection.js';
import { driverError, isSqlite, sqlLiteral } from '../dialect.js';
import { remainingMs } from '../sequelize/deadline.js';
import { type LockEndRange, lockEndsWithin } from './conditions.js';

/** A row of `login_throttle` that is to count an attempt. */
export interface CountedSubject {
  subject: string;
  /** The account of the row; null when it has none. */
  accountId: string | null;
  /** Failures allowed in a window. */
  limit: number;
  /** Windows that began then or before are over. */
  windowStart: Date;
}

/** When an attempt is counted. */
export interface AttemptTime {
  now: Date;
  inForce: LockEndRange;
  /** Windows that began later were begun by a clock that was ahead, and are over. */
  latestMoment: Date;
}

/**
 * A value that the column `failures` refuses, which ends the whole statement without effect. A server that only warned would
 * store the highest number, which refuses logins as well.
 */
const refusedValue = (sequelize: Sequelize) => (isSqlite(sequelize) ? 'NULL' : '4294967295');

function isRefusal(error: unknown): boolean {
  const { errno, message } = driverError(error);
  return errno === 1264 || message.includes('NOT NULL constraint failed: login_throttle.failures');
}

/** How long before the deadline of a request its attempt is no longer counted, in milliseconds. */
const deadlineMarginMs = 100;

/**
 * SQL: whether the statement has waited for its rows for so long that its request is over. A server with a broken connection goes on,
 * and nothing would take the failure back. SQLite counts in a transaction, which is rolled back.
 */
function isLateSql(sequelize: Sequelize, waitMs: number | undefined): string {
  if (waitMs === undefined || isSqlite(sequelize)) return '1 = 0';
  // NOW() is the beginning of the statement.
  return `SYSDATE(6) > TIMESTAMPADD(MICROSECOND, ${Math.floor(waitMs * 1000)}, NOW(6))`;
}

function attemptStatement(
  sequelize: Sequelize,
  subjects: readonly CountedSubject[],
  at: AttemptTime,
  waitMs: number | undefined,
): string {
  const literal = sqlLiteral(sequelize);
  const bySubject = (value: (of: CountedSubject) => string) =>
    `CASE subject ${subjects.map((of) => `WHEN ${literal(of.subject)} THEN ${value(of)}`).join(' ')} END`;
  const isInWindow = `window_started_at > ${bySubject((of) => literal(of.windowStart))} AND window_started_at <= ${literal(at.latestMoment)}`;
  const isFull = `(${lockEndsWithin(sequelize, at.inForce)}) OR (${isInWindow} AND failures >= ${bySubject((of) => String(of.limit))})`;
  const values = subjects.map(({ subject, accountId }) => [subject, accountId, 1, at.now, null, null, 0].map(literal));
  // MySQL's assignments see what those before them have assigned: the window is the last.
  return `INSERT INTO login_throttle (subject, account_id, failures, window_started_at, signed_in_at, locked_until, locks)
    VALUES ${values.map((row) => `(${row.join(', ')})`).join(', ')}
    ON ${isSqlite(sequelize) ? 'CONFLICT (subject) DO UPDATE SET' : 'DUPLICATE KEY UPDATE'}
      failures = CASE WHEN ${isLateSql(sequelize, waitMs)} OR ${isFull} THEN ${refusedValue(sequelize)} WHEN ${isInWindow} THEN failures + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isInWindow} THEN window_started_at ELSE ${literal(at.now)} END`;
}

/**
 * Counts an attempt as a failure in all its rows, which it creates if they don't exist, unless one of them is locked or has
 * reached its limit: in one statement, so that no other attempt comes between check and count. It may count twice when the
 * connection is lost.
 * @param subjects in key order, to avoid deadlocks
 * @returns whether it was counted
 * @throws AppError `OVERLOADED` when it waits until its request is over
 */
export async function countAttempt(
  { sequelize, inStatement }: Database,
  subjects: readonly CountedSubject[],
  at: AttemptTime,
): Promise<boolean> {
  const left = remainingMs();
  const waitMs = left === undefined ? undefined : Math.max(0, left - deadlineMarginMs);
  const startedAt = performance.now();
  const sql = attemptStatement(sequelize, subjects, at, waitMs);
  try {
    await inStatement((transaction) => sequelize.query(sql, { transaction: transaction ?? null }));
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (waitMs !== undefined && performance.now() - startedAt > waitMs)
      throw new AppError('OVERLOADED', undefined, { cause: error });
    return false;
  }
}
