import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryTypes, type Transaction, UniqueConstraintError } from 'sequelize';
import { AppError } from '../errors.js';
import type { Database } from './connection.js';
import { isSqlite, nowMsSql } from './dialect.js';

/**
 * Milliseconds without renewal after which the owner of a lease counts as dead, and the lease is free. Measured by the
 * database's clock, because the clocks of machines differ.
 */
const maxDurationMs = 30_000;

/** Milliseconds by which the clocks of a cluster's nodes may differ. */
const clockSkewMs = 5 * 60_000;

/** Milliseconds that the release of a lease may take. Short, because the owner waits, and the lease expires anyway. */
const releaseTimeoutMs = 2000;

export interface Lease {
  /**
   * Renews the lease in a transaction, and returns whether that succeeded. If so, no other process gets the lease before
   * the transaction ends. An owner that was paused for too long therefore can't commit after the next owner has started.
   */
  renew(transaction: Transaction): Promise<boolean>;
}

export interface LeaseOptions {
  /** Milliseconds without renewal after which the lease is free; 30 s by default, and at most. */
  durationMs?: number;
  /**
   * Whether an expired lease can be renewed if no other owner has acquired it; true by default. Set to false if other
   * processes act on `activeLeases` without acquiring the lease.
   */
  isRenewedWhenExpired?: boolean;
  /** Ends the wait for another owner. */
  signal?: AbortSignal;
  /** Called a single time if the lease has another owner. */
  onWait?(): void;
}

/** Databases whose lease table exists. */
const databasesWithTable = new WeakSet<Database>();

/**
 * Creates the table of leases, unless it exists. Leases are rows, because server-side locks (GET_LOCK) don't span a
 * cluster. Migrations need leases themselves, so no migration creates the table.
 */
export async function createLeaseTable(database: Database): Promise<void> {
  if (databasesWithTable.has(database)) return;
  const { sequelize } = database;
  const options = isSqlite(sequelize) ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin';
  const sql = `CREATE TABLE IF NOT EXISTS leases (name VARCHAR(100) NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL)${options}`;
  // `read` may repeat the statement, which is harmless here.
  await database.read(() => sequelize.query(sql));
  databasesWithTable.add(database);
}

/**
 * Returns SQL for whether a lease is in force. A lease that expires too far in the future isn't. It was acquired while
 * the clock was ahead, and a living owner would have renewed it since.
 */
function isInForceSql(now: string): string {
  return `(expires_at > ${now} AND expires_at <= ${now} + ${maxDurationMs + clockSkewMs})`;
}

/** Acquires a lease for `owner`; false if the lease has another owner. */
async function acquireLease(database: Database, name: string, owner: string, durationMs: number): Promise<boolean> {
  return database.inTransaction(async (transaction) => {
    const { sequelize } = database;
    const now = nowMsSql(sequelize);
    const [lease] = await sequelize.query<{ owner: string; expires_at: number; is_valid: number }>(
      `SELECT owner, expires_at, ${isInForceSql(now)} AS is_valid FROM leases WHERE name = :name`,
      {
        replacements: { name },
        type: QueryTypes.SELECT,
        transaction,
      },
    );
    if (lease && lease.owner !== owner && Number(lease.is_valid) === 1) return false;
    // The condition contains the old owner and time. So only one of two transactions that read the same row updates it.
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

interface OwnedLease {
  name: string;
  owner: string;
  durationMs: number;
  isRenewedWhenExpired: boolean;
}

/** Renews a lease; false if the lease was lost. */
async function renewLease(
  { sequelize }: Database,
  { isRenewedWhenExpired, ...replacements }: OwnedLease,
  transaction: Transaction,
): Promise<boolean> {
  // The update locks the row until the transaction ends. It must change the time, because MySQL counts only changed
  // rows.
  const now = nowMsSql(sequelize);
  const expiresAt = `${now} + :durationMs`;
  const isValid = isRenewedWhenExpired ? '' : ` AND ${isInForceSql(now)}`;
  const sql = `UPDATE leases SET expires_at = CASE WHEN expires_at >= ${expiresAt} AND ${isInForceSql(now)} THEN expires_at + 1 ELSE ${expiresAt} END WHERE name = :name AND owner = :owner${isValid}`;
  const [, renewed] = await sequelize.query(sql, { replacements, type: QueryTypes.UPDATE, transaction });
  return renewed === 1;
}

/** Returns the names of the given leases that are in force. */
export async function activeLeases(
  database: Database,
  names: readonly string[],
  transaction?: Transaction,
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  await createLeaseTable(database);
  const active = await database.read(() =>
    database.sequelize.query<{ name: string }>(
      `SELECT name FROM leases WHERE name IN (:names) AND ${isInForceSql(nowMsSql(database.sequelize))}`,
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

/**
 * Acquires a lease for `owner`; false if the lease has another owner, or another owner inserts the row at the same
 * time.
 */
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
 * lease is renewed while the work runs, and expires if its owner dies.
 * @param waitMs how long to wait for another owner
 * @throws AppError the error of `refusal` if the lease isn't free in time, `INTERRUPTED`, and the errors of `work`
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
  const ownedLease: OwnedLease = { name, owner, durationMs, isRenewedWhenExpired };
  const renew = (transaction: Transaction) => renewLease(database, ownedLease, transaction);
  let renewal: Promise<unknown> = Promise.resolve();
  const renewalIntervalMs = durationMs / 3;
  // A failed renewal is repeated at the next tick: the lease survives two failures. The renewal has a separate deadline. The
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
    // A failed release is ignored: the result of the work matters more, and the lease expires.
    const release = () => releaseLease(database, name, owner);
    await database.withDeadline({ all: releaseTimeoutMs }, release).catch(() => undefined);
  }
}
