import { rm } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../../config/config.js';
import { isAppError } from '../../errors.js';
import { type Database, openDatabase } from '../connection.js';

/** Suffixes of the database file, and of the files that SQLite keeps beside an open database or leaves after a crash. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/**
 * Locks a file until this connection is closed. SQLite leaves WAL mode only if no other connection is open, and doesn't
 * wait for one to close.
 * @returns whether the file is locked
 * @see https://www.sqlite.org/pragma.html#pragma_locking_mode
 */
async function lockForRemoval({ sequelize, read }: Database): Promise<boolean> {
  await read(() => sequelize.query('PRAGMA locking_mode = EXCLUSIVE'));
  const [row] = await read(() =>
    sequelize.query<{ journal_mode: string }>('PRAGMA journal_mode = DELETE', { type: QueryTypes.SELECT }),
  );
  return row?.journal_mode === 'delete';
}

/** Whether the database has accounts. All other data belongs to accounts. */
async function hasAccounts({ sequelize, read }: Database): Promise<boolean> {
  const type = QueryTypes.SELECT;
  const tables = await read(() => sequelize.query("SELECT name FROM sqlite_master WHERE name = 'users'", { type }));
  if (tables.length === 0) return false;
  return (await read(() => sequelize.query('SELECT id FROM users LIMIT 1', { type }))).length > 0;
}

/**
 * Deletes the file of an SQLite database if it has no accounts and no other process has it open. Close all connections of
 * the caller first.
 * @returns whether the file was deleted
 */
export async function removeUnusedFile(settings: SqliteConfig | MysqlConfig): Promise<boolean> {
  if (settings.dialect !== 'sqlite') return false;
  const database = openDatabase(settings);
  try {
    if (!(await lockForRemoval(database)) || (await hasAccounts(database))) return false;
    // Windows deletes no open file, so it can't delete a file in use.
    if (process.platform === 'win32') await database.close();
    // Deleted while the lock is held: a process that waits with the open file can't switch it to WAL, and writes nothing.
    for (const suffix of suffixes) await rm(settings.file + suffix, { force: true });
    return true;
  } catch (error) {
    // The file is in use, or is no readable database. The caller reports that it was kept.
    if (isAppError(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}
