import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import type { Database } from './connection.js';
import { driverError, isSqlite, sqlLiteral } from './dialect.js';
import { endsWithin, type LockEnds } from './sql/conditions.js';

/**
 * The writes of a login, in as few round trips as possible: what could be decided between a locking read and a write is
 * decided by the statement. JSON has the same functions on all databases, but for the number of keys.
 */

/** A row of `login_throttle` that is to count an attempt. */
interface CountedSubject {
  subject: string;
  /** The account of the row; null when it has none. */
  accountId: string | null;
  /** How many failures and pending attempts may be; nothing when the row notes the attempt only. */
  limit: number | undefined;
  /** Failures of a window that began then or before are over. */
  windowStart: Date;
}

/** An attempt that is to start. */
export interface Reservation {
  id: string;
  now: Date;
  /** In key order, to avoid deadlocks. */
  subjects: readonly CountedSubject[];
  /** Locks that ended then or before are forgotten. */
  historyStart: Date;
  /** Locks that end later than these were set by a clock that was ahead. */
  inForce: LockEnds;
  /** Windows that began later were begun by such a clock, and are over. */
  latestMoment: Date;
  /** Attempts that don't count any more. */
  expired: readonly string[];
  /** Those of them that can't even end any more. */
  forgotten: readonly string[];
}

type Literal = ReturnType<typeof sqlLiteral>;

/** The place of an attempt in `attempts_json`. */
const pathOf = (literal: Literal, id: string) => literal(`$.${JSON.stringify(id)}`);

/** JSON without some attempts. */
const without = (literal: Literal, json: string, ids: readonly string[]) =>
  ids.length === 0 ? json : `JSON_REMOVE(${json}, ${ids.map((id) => pathOf(literal, id)).join(', ')})`;

/** The number of attempts in JSON. */
const countOf = (sequelize: Sequelize, json: string) =>
  isSqlite(sequelize) ? `(SELECT COUNT(*) FROM json_each(${json}))` : `JSON_LENGTH(${json})`;

/**
 * A value that the column `failures` refuses, which ends the whole statement without effect. A server that only warned would
 * store the highest number, which refuses logins as well.
 */
const refusal = (sequelize: Sequelize) => (isSqlite(sequelize) ? 'NULL' : '4294967295');

/** Whether a statement has met a {@link refusal}. */
function isRefused(error: unknown): boolean {
  const { errno, message } = driverError(error);
  return errno === 1264 || message.includes('NOT NULL constraint failed: login_throttle.failures');
}

function reservationSql(sequelize: Sequelize, wanted: Reservation): string {
  const literal = sqlLiteral(sequelize);
  const { id, subjects, expired, forgotten } = wanted;
  const [now, historyStart, path] = [literal(wanted.now), literal(wanted.historyStart), pathOf(literal, id)];
  const startedAt = wanted.now.getTime();
  const bySubject = (value: (of: CountedSubject) => string) =>
    `CASE subject ${subjects.map((of) => `WHEN ${literal(of.subject)} THEN ${value(of)}`).join(' ')} END`;
  const windowStart = bySubject((of) => literal(of.windowStart));
  const json = "COALESCE(attempts_json, '{}')";
  const isInWindow = `window_started_at > ${windowStart} AND window_started_at <= ${literal(wanted.latestMoment)}`;
  const isForgotten = `locked_until <= ${historyStart} OR locked_until > ${literal(wanted.inForce.until)}`;
  const failures = `CASE WHEN ${isInWindow} THEN failures ELSE 0 END`;
  const counted = `${failures} + ${countOf(sequelize, without(literal, json, expired))}`;
  const isFull = bySubject((of) =>
    of.limit === undefined ? '0' : `(${endsWithin(sequelize, wanted.inForce)}) OR ${counted} >= ${of.limit}`,
  );
  const first = ({ subject, accountId }: CountedSubject) =>
    [subject, accountId, 0, wanted.now, JSON.stringify({ [id]: startedAt }), null, null, 0].map(literal);
  // Assignments see what those before them have assigned on some databases, and on others not: each column is assigned
  // after all that depend on it.
  const assignments = [
    // The statement may be repeated: then it has counted the attempt already.
    `failures = CASE WHEN JSON_EXTRACT(attempts_json, ${path}) IS NULL AND (${isFull}) THEN ${refusal(sequelize)} ELSE ${failures} END`,
    `attempts_json = JSON_SET(${without(literal, json, forgotten)}, ${path}, ${startedAt})`,
    `locks = CASE WHEN ${isForgotten} THEN 0 ELSE locks END`,
    `locked_until = CASE WHEN ${isForgotten} THEN NULL ELSE locked_until END`,
    `window_started_at = CASE WHEN ${isInWindow} THEN window_started_at ELSE ${now} END`,
    // Rows that are older than the column don't have it.
    `account_id = ${bySubject((of) => literal(of.accountId))}`,
  ];
  return `INSERT INTO login_throttle
      (subject, account_id, failures, window_started_at, attempts_json, signed_in_at, locked_until, locks)
    VALUES ${subjects.map((of) => `(${first(of).join(', ')})`).join(', ')}
    ON ${isSqlite(sequelize) ? 'CONFLICT (subject) DO UPDATE SET' : 'DUPLICATE KEY UPDATE'} ${assignments.join(', ')}`;
}

/**
 * Counts an attempt in all its rows, which it creates if they don't exist, unless one of them is locked or has reached its
 * limit: in one statement, so that no other attempt comes between check and count.
 * @returns whether it was counted
 */
export async function reserveAttempt(database: Database, wanted: Reservation): Promise<boolean> {
  const { sequelize } = database;
  const sql = reservationSql(sequelize, wanted);
  try {
    await database.inStatement((transaction) => run(sequelize, sql, transaction));
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

/** @returns the number of rows that were changed; on MySQL a row counts only if it has new values */
async function run(sequelize: Sequelize, sql: string, transaction: Transaction | undefined): Promise<number> {
  const [, changed] = await sequelize.query(sql, { type: QueryTypes.UPDATE, ...(transaction && { transaction }) });
  return changed;
}

/** A counted attempt whose password was right. */
export interface SucceededAttempt {
  id: string;
  /** The rows that count or note it. */
  subjects: readonly string[];
  /** The row of the address, whose failures stay: a right password of one account doesn't vouch for others. */
  address: string | undefined;
  /** The row of the account at the address, which is known from now on. */
  pair: string | undefined;
}

/** The end of an attempt with success. Rows without the attempt have recorded its end, or were unlocked since. */
function successSql(sequelize: Sequelize, { id, subjects, address, pair }: SucceededAttempt, now: Date) {
  const literal = sqlLiteral(sequelize);
  const path = pathOf(literal, id);
  const unless = (subject: string | undefined, column: string, value: string) =>
    subject === undefined ? value : `CASE WHEN subject = ${literal(subject)} THEN ${column} ELSE ${value} END`;
  const known = literal(pair ?? null);
  return {
    assignments: [
      `failures = ${unless(address, 'failures', '0')}`,
      `locked_until = ${unless(address, 'locked_until', 'NULL')}`,
      `locks = ${unless(address, 'locks', '0')}`,
      `signed_in_at = CASE WHEN subject = ${known} THEN ${literal(now)} ELSE signed_in_at END`,
      `attempts_json = JSON_REMOVE(attempts_json, ${path})`,
    ].join(', '),
    condition: `subject IN (${subjects.map(literal).join(', ')}) AND JSON_EXTRACT(attempts_json, ${path}) IS NOT NULL`,
  };
}

/** Ends an attempt with success: in a statement of its own, which may be repeated because it names the attempt. */
export async function endWithSuccess(database: Database, attempt: SucceededAttempt, now: Date): Promise<void> {
  const { sequelize } = database;
  const { assignments, condition } = successSql(sequelize, attempt, now);
  const sql = `UPDATE login_throttle SET ${assignments} WHERE ${condition}`;
  await database.inStatement((transaction) => run(sequelize, sql, transaction));
}

/** The account of a login, as it was when the password was compared. */
export interface ComparedUser {
  id: string;
  passwordHash: string;
  /** Required, when present. */
  role: string | undefined;
  /** Replaces the hash, when present. */
  newHash: string | undefined;
}

/**
 * Locks the account, records the login there and ends the attempt, unless the account has changed since: it is inactive now,
 * or has another password or role.
 * @returns whether it was recorded
 */
export async function recordLogin(
  { sequelize }: Database,
  user: ComparedUser,
  attempt: SucceededAttempt,
  now: Date,
  transaction: Transaction,
): Promise<boolean> {
  const literal = sqlLiteral(sequelize);
  const isSame = [
    `id = ${literal(user.id)} AND password_hash = ${literal(user.passwordHash)} AND is_active = 1`,
    ...(user.role === undefined ? [] : [`role = ${literal(user.role)}`]),
  ].join(' AND ');
  const changes = [
    `last_login = ${literal(now)}, updated_at = ${literal(now)}`,
    // The row has new values in any case, by which the result tells whether there was one.
    'lock_version = lock_version + 1',
    ...(user.newHash === undefined ? [] : [`password_hash = ${literal(user.newHash)}`]),
  ].join(', ');
  const { assignments, condition } = successSql(sequelize, attempt, now);
  if (!isSqlite(sequelize)) {
    // Without the hint a small table is read, and locked, as a whole.
    const sql = `UPDATE users LEFT JOIN login_throttle FORCE INDEX (PRIMARY) ON ${condition}
      SET ${changes}, ${assignments} WHERE ${isSame}`;
    return (await run(sequelize, sql, transaction)) > 0;
  }
  if ((await run(sequelize, `UPDATE users SET ${changes} WHERE ${isSame}`, transaction)) === 0) return false;
  await run(sequelize, `UPDATE login_throttle SET ${assignments} WHERE ${condition}`, transaction);
  return true;
}
