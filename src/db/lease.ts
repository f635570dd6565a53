import { setTimeout as sleep } from 'node:timers/promises';
import { QueryTypes, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../errors.js';
import type { Database } from './connection.js';
import { isSqlite, nowMsSql } from './dialect.js';

/**
 * A lease that isn't renewed for so long is free again: its holder died. The database's clock says so, for machines whose
 * clocks differ would take leases from each other.
 */
const defaultDurationMs = 30_000;

/** A lease that is held, as the work under it sees it. */
export interface Lease {
  /**
   * Renews the lease in a transaction. When it says true, nobody else gets the lease before the transaction ends: a
   * holder that was paused for too long commits nothing behind the back of the next one.
   */
  renew(transaction: Transaction): Promise<boolean>;
}

/** How a lease is held, and waited for. */
export interface LeaseOptions {
  /** After how many milliseconds without renewal the lease is free; 30 s when absent. */
  durationMs?: number;
  /** Ends the wait for another holder. */
  signal?: AbortSignal;
  /** Told once when there is another holder to wait for. */
  onWait?(): void;
}

/** Databases of which it is known that they have the table. */
const withLeaseTable = new WeakSet<Database>();

/**
 * Leases are rows, because server-side locks (GET_LOCK) don't span a cluster. The table isn't a migration's: the
 * migrations themselves need it, and whoever needs it makes it.
 */
export async function createLeaseTable(database: Database): Promise<void> {
  if (withLeaseTable.has(database)) return;
  const { sequelize } = database;
  const options = isSqlite(sequelize) ? '' : ' ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin';
  const sql = `CREATE TABLE IF NOT EXISTS leases (name VARCHAR(100) NOT NULL PRIMARY KEY, owner VARCHAR(36) NOT NULL, expires_at BIGINT NOT NULL)${options}`;
  // As good as a read: it may be sent twice.
  await database.read(() => sequelize.query(sql));
  withLeaseTable.add(database);
}

/** Takes a lease for `owner`; false when somebody else holds it. */
async function takeLease(database: Database, name: string, owner: string, durationMs: number): Promise<boolean> {
  return database.inTransaction(async (transaction) => {
    const { sequelize } = database;
    const now = nowMsSql(sequelize);
    const [holder] = await sequelize.query<{ owner: string; expires_at: number; is_held: number }>(
      `SELECT owner, expires_at, expires_at > ${now} AS is_held FROM leases WHERE name = :name`,
      {
        replacements: { name },
        type: QueryTypes.SELECT,
        transaction,
      },
    );
    if (holder && holder.owner !== owner && Number(holder.is_held) === 1) return false;
    // Whoever read the same holder meanwhile changes no row: the old owner and time are part of the condition.
    const sql = holder
      ? `UPDATE leases SET owner = :owner, expires_at = ${now} + :durationMs WHERE name = :name AND owner = :oldOwner AND expires_at = :oldExpiresAt`
      : `INSERT INTO leases (name, owner, expires_at) VALUES (:name, :owner, ${now} + :durationMs)`;
    const replacements = {
      name,
      owner,
      durationMs,
      oldOwner: holder?.owner ?? '',
      oldExpiresAt: Number(holder?.expires_at ?? 0),
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

/** Renews a lease; false when it was lost. It isn't taken again then: the work under it may be somebody else's by now. */
async function renewLease(
  { sequelize }: Database,
  name: string,
  owner: string,
  durationMs: number,
  transaction: Transaction,
): Promise<boolean> {
  // Locks the row until the transaction ends, if it is still ours. The time always changes, because MySQL counts changed
  // rows, not those that were found.
  const expiresAt = `${nowMsSql(sequelize)} + :durationMs`;
  const sql = `UPDATE leases SET expires_at = CASE WHEN expires_at >= ${expiresAt} THEN expires_at + 1 ELSE ${expiresAt} END WHERE name = :name AND owner = :owner`;
  const replacements = { name, owner, durationMs };
  const [, renewed] = await sequelize.query(sql, { replacements, type: QueryTypes.UPDATE, transaction });
  return renewed === 1;
}

/** Which of these leases are held by somebody alive. */
export async function heldLeases(
  database: Database,
  names: readonly string[],
  transaction?: Transaction,
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  await createLeaseTable(database);
  const held = await database.read(() =>
    database.sequelize.query<{ name: string }>(
      `SELECT name FROM leases WHERE name IN (:names) AND expires_at > ${nowMsSql(database.sequelize)}`,
      { replacements: { names }, type: QueryTypes.SELECT, ...(transaction && { transaction }) },
    ),
  );
  return new Set(held.map(({ name }) => name));
}

async function releaseLease(database: Database, name: string, owner: string): Promise<void> {
  await database.inTransaction((transaction) =>
    database.sequelize.query('DELETE FROM leases WHERE name = :name AND owner = :owner', {
      replacements: { name, owner },
      transaction,
    }),
  );
}

/** Losing the race for the first insert is losing the lease, not a failure. */
async function tryLease(database: Database, name: string, owner: string, durationMs: number): Promise<boolean> {
  try {
    return await takeLease(database, name, owner, durationMs);
  } catch (error) {
    if (error instanceof Error && error.name === 'SequelizeUniqueConstraintError') return false;
    throw error;
  }
}

/**
 * Runs `work` while nobody else runs work under the same name, on any machine that shares the database. The lease is
 * renewed meanwhile, and is free some time after its holder died.
 * @param waitMs how long to wait for another holder
 * @throws AppError with the code and message of `refusal` when the lease isn't free in time, `INTERRUPTED`
 */
export async function withLease<T>(
  database: Database,
  name: string,
  waitMs: number,
  refusal: () => AppError,
  work: (lease: Lease) => Promise<T>,
  { durationMs = defaultDurationMs, signal, onWait }: LeaseOptions = {},
): Promise<T> {
  await createLeaseTable(database);
  const owner = uuidv7();
  const deadline = performance.now() + waitMs;
  for (let tries = 1; !(await tryLease(database, name, owner, durationMs)); tries += 1) {
    if (signal?.aborted) throw new AppError('INTERRUPTED');
    if (performance.now() >= deadline) throw refusal();
    if (tries === 1) onWait?.();
    await sleep(200);
  }
  const renew = (transaction: Transaction) => renewLease(database, name, owner, durationMs, transaction);
  let renewal: Promise<unknown> = Promise.resolve();
  // A renewal that fails is tried again at the next tick; the lease outlives two of them.
  const timer = setInterval(() => {
    renewal = database.inTransaction(renew).catch((error: unknown) => error);
  }, durationMs / 3);
  try {
    return await work({ renew });
  } finally {
    clearInterval(timer);
    await renewal;
    // What became of the work counts: a lease that can't be given back ends by itself.
    await releaseLease(database, name, owner).catch(() => undefined);
  }
}
