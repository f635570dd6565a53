import { rm } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../../config/config.js';
import { isAppError } from '../../errors.js';
import { type Database, openDatabase } from '../connection.js';

/** Suffixes of the database file, and of the files that SQLite keeps beside an open database or leaves after a crash. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/**
 * Tries to lock a database file until this connection is closed. Fails if another connection is open, because SQLite
 * then can't leave WAL mode.
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
 * Deletes the file of an SQLite database if it has no accounts and no other process has it open. The caller must have
 * closed all its connections.
 * @returns whether the file was deleted
 */
export async function removeUnusedFile(settings: SqliteConfig | MysqlConfig): Promise<boolean> {
  if (settings.dialect !== 'sqlite') return false;
  const database = openDatabase(settings);
  try {
    if (!(await lockForRemoval(database)) || (await hasAccounts(database))) return false;
    // Windows can't delete an open file, so this connection is closed first. A file that another process uses stays.
    if (process.platform === 'win32') await database.close();
    // Deleted while locked: a process that has opened the file in between can't switch it to WAL, and writes nothing.
    for (const suffix of suffixes) await rm(settings.file + suffix, { force: true });
    return true;
  } catch (error) {
    // The file is in use, or isn't a readable database. It is kept, which the caller reports.
    if (isAppError(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}
