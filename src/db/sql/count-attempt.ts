import type { Sequelize } from 'sequelize';
import { AppError } from '../../errors.js';
import type { Database } from '../connection.js';
import { driverError, isSqlite, sqlLiteral } from '../dialect.js';
import { remainingMs } from '../sequelize/deadline.js';
import { type LockEndRange, lockEndsWithin } from './conditions.js';

/** A row of `login_throttle` in which an attempt is counted. */
export interface CountedSubject {
  subject: string;
  accountId: string | null;
  /** Failures that are allowed in a window. */
  limit: number;
  /** Windows that began at this time or earlier have ended. */
  windowStart: Date;
}

export interface AttemptTime {
  now: Date;
  inForce: LockEndRange;
  /** Windows that began later were started by a clock that was ahead, and count as ended. */
  latestMoment: Date;
}

/**
 * Value that the column `failures` refuses, so that the whole statement fails without effect. A server that only warns
 * stores the column's maximum, which is over every limit.
 */
const refusedValue = (sequelize: Sequelize) => (isSqlite(sequelize) ? 'NULL' : '4294967295');

function isRefusal(error: unknown): boolean {
  const { errno, message } = driverError(error);
  return errno === 1264 || message.includes('NOT NULL constraint failed: login_throttle.failures');
}

/** Milliseconds before the deadline of a request in which its attempt is no longer counted. */
const deadlineMarginMs = 100;

/**
 * Returns SQL for whether the statement waited for its rows until its request was over. A server continues a statement
 * after the connection breaks, and nothing would undo the counted failure. SQLite counts in a transaction, which is
 * rolled back.
 */
function isLateSql(sequelize: Sequelize, waitMs: number | undefined): string {
  if (waitMs === undefined || isSqlite(sequelize)) return '1 = 0';
  // NOW() is the start of the statement.
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
  // MySQL's assignments see the values of earlier assignments, so the window comes last.
  return `INSERT INTO login_throttle (subject, account_id, failures, window_started_at, signed_in_at, locked_until, locks)
    VALUES ${values.map((row) => `(${row.join(', ')})`).join(', ')}
    ON ${isSqlite(sequelize) ? 'CONFLICT (subject) DO UPDATE SET' : 'DUPLICATE KEY UPDATE'}
      failures = CASE WHEN ${isLateSql(sequelize, waitMs)} OR ${isFull} THEN ${refusedValue(sequelize)} WHEN ${isInWindow} THEN failures + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isInWindow} THEN window_started_at ELSE ${literal(at.now)} END`;
}

/**
 * Counts an attempt as a failure in all its rows, unless one of them is locked or has reached its limit. Creates missing
 * rows. Check and count are one statement, so that no other attempt comes between. After a lost connection, an attempt
 * may be counted twice.
 * @param subjects in key order, to avoid deadlocks
 * @returns whether the attempt was counted
 * @throws AppError `OVERLOADED` if the statement waits until its request is over
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
