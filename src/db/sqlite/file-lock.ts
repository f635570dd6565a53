import { access, constants, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemErrorCode, undefinedIfMissing } from '../../errors.js';
import { SqliteThread } from './thread.js';

/** How long SQLite waits for the lock, in milliseconds: another process holds it only for a moment while it opens the file. */
const lockTimeoutMs = 500;

/** Which file has this name now; nothing when none has. */
const inodeOf = async (file: string): Promise<bigint | undefined> =>
  (await undefinedIfMissing(stat(file, { bigint: true })))?.ino;

/**
 * Opens the file and begins a write, which no other connection can meanwhile.
 * @throws AppError that of `refusal` when the process that had the lock has removed the file meanwhile: others lock a new one
 */
async function acquireLock(file: string, refusal: () => AppError): Promise<SqliteThread> {
  const before = await inodeOf(file);
  const connection = new SqliteThread(file, lockTimeoutMs);
  // What opens the file, and creates it.
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
 * Runs `work` while no other process does so with this file, and removes the file at the end. The lock is one of SQLite's: the system
 * releases it when the process dies.
 * @param file in a folder that exists
 * @param refusal when another process has the lock
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`, those of `refusal` and `work`; and errors of the file system
 */
export async function withFileLock<T>(file: string, refusal: () => AppError, work: () => Promise<T>): Promise<T> {
  // SQLite's own error doesn't say why.
  await access(path.dirname(file), constants.W_OK);
  const connection = await acquireLock(file, refusal).catch((error: unknown) => {
    throw translateLockError(file, refusal, error);
  });
  try {
    return await work();
  } finally {
    // Windows removes no open file, and the lock works whether one is there or not.
    for (const end of ['-wal', '-shm', '']) await rm(`${file}${end}`, { force: true }).catch(() => undefined);
    await connection.close();
  }
}
