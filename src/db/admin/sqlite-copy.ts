import { chmod, writeFile } from 'node:fs/promises';
import { QueryTypes } from 'sequelize';
import { AppError, isAppError } from '../../errors.js';
import type { Database } from '../connection.js';
import { driverError } from '../dialect.js';

/**
 * Copies an SQLite database into a new file while others write to the database. `VACUUM INTO` reads one snapshot. The
 * online backup API restarts after each commit of another process, and never ends under steady writes.
 * @param file must not exist; only this user can read it
 * @see https://www.sqlite.org/lang_vacuum.html
 * @throws AppError the errors of any query
 */
export async function copySqlite({ sequelize, read }: Database, file: string): Promise<void> {
  // Created here, because other users can read a file that SQLite creates. SQLite accepts an empty file.
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
  await read(() => sequelize.query('VACUUM INTO :file', { replacements: { file } }));
  await chmod(file, 0o600);
}

/**
 * Runs work that creates or opens a copy, and makes disk errors name the folder of the copy. Otherwise they name the
 * database file.
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`, and the errors of `work`
 */
export async function namingDiskOfCopy<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = driverError(isAppError(error) ? error.cause : error);
    if (code === 'SQLITE_FULL') throw new AppError('DISK_FULL', undefined, { cause: error });
    if (code === 'SQLITE_IOERR' || code === 'SQLITE_CANTOPEN')
      throw new AppError(
        'STORAGE_UNAVAILABLE',
        `The database can't be copied to the folder "${folder}": check its disk, and that of the database.`,
        { cause: error },
      );
    throw error;
  }
}

/**
 * Checks an SQLite database for damaged pages and indexes, and for rows that refer to missing rows.
 * @returns a sentence without a full stop for each problem; empty if the database is sound
 * @see https://www.sqlite.org/pragma.html#pragma_integrity_check
 */
export async function sqliteProblems({ sequelize, read }: Database): Promise<string[]> {
  const type = QueryTypes.SELECT;
  const checked = await read(() =>
    sequelize.query<{ integrity_check: string }>('PRAGMA integrity_check(10)', { type }),
  );
  const damaged = checked.map((row) => row.integrity_check).filter((result) => result !== 'ok');
  const orphans = await read(() =>
    sequelize.query<{ table: string; parent: string }>('PRAGMA foreign_key_check', { type }),
  );
  const broken = orphans.slice(0, 10).map(({ table, parent }) => `a row of ${table} refers to no row of ${parent}`);
  return [...damaged, ...broken];
}
