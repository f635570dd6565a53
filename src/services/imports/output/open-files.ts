import { type FileHandle, stat } from 'node:fs/promises';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';

/** An error of the file system as `FILE_UNUSABLE`; other errors unchanged. */
export function unusable(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const problem = code === 'ENOSPC' ? 'the disk is full' : code;
  return new AppError(
    'FILE_UNUSABLE',
    `The file ${file} can't be written (${problem}). Free disk space or name another file, and run the import again: it resumes where it stopped.`,
    { cause: error },
  );
}

/** Whether an open file is the one that the path names. */
export async function isAt(handle: FileHandle, file: string): Promise<boolean> {
  const [held, named] = await Promise.all([
    handle.stat({ bigint: true }),
    // A path that can't be looked at doesn't name the file: the caller then leaves it alone.
    stat(file, { bigint: true }).catch(() => undefined),
  ]);
  return named?.ino === held.ino && named.dev === held.dev;
}

/** @returns fewer bytes at the end of the file */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Writes all bytes: one write may write fewer, for example when the disk is nearly full. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
