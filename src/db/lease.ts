import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryTypes, type Transaction, UniqueConstraintError } from 'sequelize';
import { AppError } from '../errors.js';
import type { Database } from './connection.js';
import { isSqlite, nowMsSql } from './dialect.js';

/**
 * A lease that isn't renewed for so long is free again: its owner died. Measured by the database's clock, because machines
 * with different clocks would take leases from each other.
 */
const maxDurationMs = 30_000;

/** How far the clocks of a cluster's nodes may differ, in milliseconds. */
const clockSkewMs = 5 * 60_000;

/** How long releasing a lease may take, in milliseconds: its owner waits for it, and a lease that isn't released expires. */
const releaseTimeoutMs = 2000;

/** An acquired lease. */
export interface Lease {
  /**
   * Renews the lease in a transaction. When true, no other process gets the lease before the transaction ends, so that an
   * owner that was paused for too long can't commit after the next owner has started.
   */
  renew(transaction: Transaction): Promise<boolean>;
}

/** How to acquire and keep a lease. */
export interface LeaseOptions {
  /** The lease is free after so many milliseconds without renewal; 30 s by default, and at most. */
  durationMs?: number;
  /**
   * Whether an expired lease can be renewed as long as nobody has acquired it; true by default. False where others act on
   * what `activeLeases` says, without acquiring it.
   */
  isRenewedWhenExpired?: boolean;
  /** Ends the wait for another owner. */
  signal?: AbortSignal;
  /** Called once when the lease has another owner. */
  onWait?(): void;
}

/** Databases that are known to have the table. */
const databasesWithTable = new WeakSet<Database>();

/**
 * Leases are rows, because server-side locks (GET_LOCK) don't span a cluster. No migration creates their table, because
 * migrations need it themselves.
 */
export async function createLeaseTable(database: Database): Promise<void> {
  if (databasesWithTable.has(database)) return;
  const { sequelize } = database;
  const options = isSqlite(sequelize) ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin';
  const sql = `CREATE TABLE IF NOT EXISTS leases (name VARCHAR(100) NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL)${options}`;
  // Repeatable, as a read is.
  await database.read(() => sequelize.query(sql));
  databasesWithTable.add(database);
}

/**
 * SQL: whether a lease is in force. One that expires later than any that was just renewed is from a time when the clock was
 * ahead: its owner would have renewed it since, and a dead one would keep everybody out until the clock gets there.
 */
function isInForce(now: string): string {
  return `(expires_at > ${now} AND expires_at <= ${now} + ${maxDurationMs + clockSkewMs})`;
}

/** Acquires a lease for `owner`; false when it has another owner. */
async function acquireLease(database: Database, name: string, owner: string, durationMs: number): Promise<boolean> {
  return database.inTransaction(async (transaction) => {
    const { sequelize } = database;
    const now = nowMsSql(sequelize);
    const [lease] = await sequelize.query<{ owner: string; expires_at: number; is_valid: number }>(
      `SELECT owner, expires_at, ${isInForce(now)} AS is_valid FROM leases WHERE name = :name`,
      {
        replacements: { name },
        type: QueryTypes.SELECT,
        transaction,
      },
    );
    if (lease && lease.owner !== owner && Number(lease.is_valid) === 1) return false;
    // The condition names the old owner and time, so that of two transactions that read the same row one updates none.
    const sql = lease
      ? `UPDATE leases SET owner = :owner, expires_at = ${now} + :durationMs WHERE name = :name AND owner = :oldOwner AND expires_at = :oldExpiresAt`
      : `INSERT INTO leases (name, owner, expires_at) VALUES (:name, :owner, ${now} + :durationMs)`;
    const replacements = {
      name,
      owner,
      durationMs,
      oldOwner: lease?.owner ?? '',
      oldExpiresAt: Number(lease?.expires_at ?? 0),
    };
    await sequelize.query(sql, { replacements, transaction });
    const [current] = await sequelize.query<{ owner: string }>('SELECT owner FROM leases WHERE name = :name', {
      replacements: { name },
      type: QueryTypes.SELECT,
      transaction,
    });
    return current?.owner === owner;
  });
}

/** What its owner knows of a lease. */
interface OwnedLease {
  name: string;
  owner: string;
  durationMs: number;
  isRenewedWhenExpired: boolean;
}

/** Renews a lease; false when it was lost, and possibly acquired by another owner. */
async function renewLease(
  { sequelize }: Database,
  { isRenewedWhenExpired, ...replacements }: OwnedLease,
  transaction: Transaction,
): Promise<boolean> {
  // Locks the row until the transaction ends, if the owner is the same. The time must change, because MySQL counts changed
  // rows rather than matched ones.
  const now = nowMsSql(sequelize);
  const expiresAt = `${now} + :durationMs`;
  const isValid = isRenewedWhenExpired ? '' : ` AND ${isInForce(now)}`;
  const sql = `UPDATE leases SET expires_at = CASE WHEN expires_at >= ${expiresAt} AND ${isInForce(now)} THEN expires_at + 1 ELSE ${expiresAt} END WHERE name = :name AND owner = :owner${isValid}`;
  const [, renewed] = await sequelize.query(sql, { replacements, type: QueryTypes.UPDATE, transaction });
  return renewed === 1;
}

/** Which of these leases have an owner and are in force. */
export async function activeLeases(
  database: Database,
  names: readonly string[],
  transaction?: Transaction,
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  await createLeaseTable(database);
  const active = await database.read(() =>
    database.sequelize.query<{ name: string }>(
      `SELECT name FROM leases WHERE name IN (:names) AND ${isInForce(nowMsSql(database.sequelize))}`,
      { replacements: { names }, type: QueryTypes.SELECT, ...(transaction && { transaction }) },
    ),
  );
  return new Set(active.map(({ name }) => name));
}

async function releaseLease(database: Database, name: string, owner: string): Promise<void> {
  await database.inTransaction((transaction) =>
    database.sequelize.query('DELETE FROM leases WHERE name = :name AND owner = :owner', {
      replacements: { name, owner },
      transaction,
    }),
  );
}

/** Losing the race for the first insert means that another owner has the lease. */
async function tryAcquireLease(database: Database, name: string, owner: string, durationMs: number): Promise<boolean> {
  try {
    return await acquireLease(database, name, owner, durationMs);
  } catch (error) {
    if (error instanceof UniqueConstraintError) return false;
    throw error;
  }
}

/**
 * Runs `work` under a lease: no two processes that share the database run work under the same name at the same time. The
 * lease is renewed while the work runs, and expires some time after its owner died.
 * @param waitMs how long to wait for another owner
 * @throws AppError `refusal` when the lease isn't free in time, `INTERRUPTED`
 */
export async function withLease<T>(
  database: Database,
  name: string,
  waitMs: number,
  refusal: () => AppError,
  work: (lease: Lease) => Promise<T>,
  { durationMs = maxDurationMs, isRenewedWhenExpired = true, signal, onWait }: LeaseOptions = {},
): Promise<T> {
  await createLeaseTable(database);
  const owner = randomUUID();
  const deadline = performance.now() + waitMs;
  for (let tries = 1; !(await tryAcquireLease(database, name, owner, durationMs)); tries += 1) {
    if (signal?.aborted) throw new AppError('INTERRUPTED');
    if (performance.now() >= deadline) throw refusal();
    if (tries === 1) onWait?.();
    await sleep(200);
  }
  const own: OwnedLease = { name, owner, durationMs, isRenewedWhenExpired };
  const renew = (transaction: Transaction) => renewLease(database, own, transaction);
  let renewal: Promise<unknown> = Promise.resolve();
  const renewalIntervalMs = durationMs / 3;
  // A renewal that fails is repeated at the next tick; the lease outlives two failures. It has a deadline of its own: the
  // deadline of the work may have passed while the work still relies on the lease.
  const timer = setInterval(() => {
    const renewed = database.withDeadline({ all: renewalIntervalMs }, () => database.inTransaction(renew));
    renewal = renewed.catch((error: unknown) => error);
  }, renewalIntervalMs);
  try {
    return await work({ renew });
  } finally {
    clearInterval(timer);
    await renewal;
    // The result of the work matters more than a lease that can't be released: it expires.
    const release = () => releaseLease(database, name, owner);
    await database.withDeadline({ all: releaseTimeoutMs }, release).catch(() => undefined);
  }
}
