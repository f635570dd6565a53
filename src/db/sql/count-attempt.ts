import type { Sequelize } from 'sequelize';
import type { Database } from '../connection.js';
import { driverError, isSqlite, sqlLiteral } from '../dialect.js';
import { endsWithin, type LockEnds } from './conditions.js';

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
export interface CountedAt {
  now: Date;
  inForce: LockEnds;
  /** Windows that began later were begun by a clock that was ahead, and are over. */
  latestMoment: Date;
}

/**
 * A value that the column `failures` refuses, which ends the whole statement without effect. A server that only warned would
 * store the highest number, which refuses logins as well.
 */
const refusal = (sequelize: Sequelize) => (isSqlite(sequelize) ? 'NULL' : '4294967295');

function isRefusal(error: unknown): boolean {
  const { errno, message } = driverError(error);
  return errno === 1264 || message.includes('NOT NULL constraint failed: login_throttle.failures');
}

function statement(sequelize: Sequelize, subjects: readonly CountedSubject[], at: CountedAt): string {
  const literal = sqlLiteral(sequelize);
  const bySubject = (value: (of: CountedSubject) => string) =>
    `CASE subject ${subjects.map((of) => `WHEN ${literal(of.subject)} THEN ${value(of)}`).join(' ')} END`;
  const isInWindow = `window_started_at > ${bySubject((of) => literal(of.windowStart))} AND window_started_at <= ${literal(at.latestMoment)}`;
  const isFull = `(${endsWithin(sequelize, at.inForce)}) OR (${isInWindow} AND failures >= ${bySubject((of) => String(of.limit))})`;
  const values = subjects.map(({ subject, accountId }) => [subject, accountId, 1, at.now, null, null, 0].map(literal));
  // MySQL's assignments see what those before them have assigned: the window is the last.
  return `INSERT INTO login_throttle (subject, account_id, failures, window_started_at, signed_in_at, locked_until, locks)
    VALUES ${values.map((row) => `(${row.join(', ')})`).join(', ')}
    ON ${isSqlite(sequelize) ? 'CONFLICT (subject) DO UPDATE SET' : 'DUPLICATE KEY UPDATE'}
      failures = CASE WHEN ${isFull} THEN ${refusal(sequelize)} WHEN ${isInWindow} THEN failures + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isInWindow} THEN window_started_at ELSE ${literal(at.now)} END`;
}

/**
 * Counts an attempt as a failure in all its rows, which it creates if they don't exist, unless one of them is locked or has
 * reached its limit: in one statement, so that no other attempt comes between check and count.
 * @param subjects in key order, to avoid deadlocks
 * @returns whether it was counted
 */
export async function countAttempt(
  { sequelize, inTransaction }: Database,
  subjects: readonly CountedSubject[],
  at: CountedAt,
): Promise<boolean> {
  try {
    // In a transaction: what its request no longer waits for is rolled back.
    await inTransaction((transaction) => sequelize.query(statement(sequelize, subjects, at), { transaction }));
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
