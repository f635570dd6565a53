import { access, constants, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemErrorCode, undefinedIfMissing } from '../../errors.js';
import { SqliteThread } from './thread.js';

/** Milliseconds that SQLite waits for the lock. Short: enough for another process that is just opening the file. */
const lockTimeoutMs = 500;

/** Returns the inode of a file; undefined if the file doesn't exist. */
const inodeOf = async (file: string): Promise<bigint | undefined> =>
  (await undefinedIfMissing(stat(file, { bigint: true })))?.ino;

/**
 * Opens the file and begins a write, which excludes all other connections.
 * @throws AppError the error of `refusal` if the former owner of the lock has removed the file in between: other
 *   processes would lock a new file
 */
async function acquireLock(file: string, refusal: () => AppError): Promise<SqliteThread> {
  const before = await inodeOf(file);
  const connection = new SqliteThread(file, lockTimeoutMs);
  // The first statement opens the file, or creates it.
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      const request = { kind: 'run', sql, parameters: [], busyTimeoutMs: lockTimeoutMs } as const;
      connection.send(request, (reply) => (reply instanceof Error ? reject(reply) : resolve()));
    });
  try {
    await run('SELECT 1');
    const locked = before ?? (await inodeOf(file));
    await run('BEGIN IMMEDIATE');
    if (locked === undefined || (await inodeOf(file)) !== locked) throw refusal();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function translateLockError(file: string, refusal: () => AppError, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === 'SQLITE_BUSY') return refusal();
  if (code === 'SQLITE_FULL') return new AppError('DISK_FULL', undefined, { cause: error });
  if (!code?.startsWith('SQLITE_')) return error;
  const message = `The file "${file}" can't be used (${code}): check its disk, and remove the file when no command is running.`;
  return new AppError('STORAGE_UNAVAILABLE', message, { cause: error });
}

/**
 * Runs `work` under a lock on this file, and removes the file at the end. The lock is a write lock of SQLite: the
 * operating system releases it if the process dies.
 * @param file in an existing folder
 * @param refusal returns the error if another process has the lock
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`, and the error of `refusal`; errors of `work` and of the file
 *   system
 */
export async function withFileLock<T>(file: string, refusal: () => AppError, work: () => Promise<T>): Promise<T> {
  // Checked first, because SQLite's error doesn't say that the folder isn't writable.
  await access(path.dirname(file), constants.W_OK);
  const connection = await acquireLock(file, refusal).catch((error: unknown) => {
    throw translateLockError(file, refusal, error);
  });
  try {
    return await work();
  } finally {
    // Windows can't remove an open file. The file may stay, because an existing file can be locked too.
    for (const end of ['-wal', '-shm', '']) await rm(`${file}${end}`, { force: true }).catch(() => undefined);
    await connection.close();
  }
}
