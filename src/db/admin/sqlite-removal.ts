import { rm } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import type { MysqlConfig, SqliteConfig } from '../../config/config.js';
import { isAppError } from '../../errors.js';
import { type Database, openDatabase } from '../connection.js';

/** The database, and the files that SQLite keeps beside it while it is open, or after a crash. */
const suffixes = ['', '-wal', '-shm', '-journal'];

/**
 * Keeps all others out of a file until this connection is closed. SQLite leaves WAL only while no other connection is open;
 * it doesn't wait for that.
 * @returns whether it did
 * @see https://www.sqlite.org/pragma.html#pragma_locking_mode
 */
async function lockForRemoval({ sequelize, read }: Database): Promise<boolean> {
  await read(() => sequelize.query('PRAGMA locking_mode = EXCLUSIVE'));
  const [row] = await read(() =>
    sequelize.query<{ journal_mode: string }>('PRAGMA journal_mode = DELETE', { type: QueryTypes.SELECT }),
  );
  return row?.journal_mode === 'delete';
}

/** Everything that people enter belongs to an account. */
async function hasAccounts({ sequelize, read }: Database): Promise<boolean> {
  const type = QueryTypes.SELECT;
  const tables = await read(() => sequelize.query("SELECT name FROM sqlite_master WHERE name = 'users'", { type }));
  if (tables.length === 0) return false;
  return (await read(() => sequelize.query('SELECT id FROM users LIMIT 1', { type }))).length > 0;
}

/**
 * Deletes the file of an SQLite database, if it has no accounts and nobody else has it open. Connections of the caller count:
 * close them before.
 * @returns whether it was deleted
 */
export async function removeUnusedFile(settings: SqliteConfig | MysqlConfig): Promise<boolean> {
  if (settings.dialect !== 'sqlite') return false;
  const database = openDatabase(settings);
  try {
    if (!(await lockForRemoval(database)) || (await hasAccounts(database))) return false;
    // Windows deletes no open file, and therefore none that others have open.
    if (process.platform === 'win32') await database.close();
    // While it is locked: who waits with the file open then fails to switch it to WAL, and writes nothing that would be lost.
    for (const suffix of suffixes) await rm(settings.file + suffix, { force: true });
    return true;
  } catch (error) {
    // Somebody else is using the file, or it is no database that could be examined: it is kept, which the caller says.
    if (isAppError(error)) return false;
    throw error;
  } finally {
    await database.close();
  }
}
