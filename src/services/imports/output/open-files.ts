import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, systemErrorCode, whyUnwritable } from '../../../errors.js';

/** An error of the file system as `FILE_UNUSABLE`; other errors unchanged. */
export function unusable(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const why = whyUnwritable(code, 'name another file');
  return new AppError('FILE_UNUSABLE', `The file ${file} ${why}.`, { cause: error });
}

/** The start of the names of files that are made only to see whether their folder takes any. */
const probePrefix = '.coursectl-probe-';

/**
 * Whether a file could be made: by another one in its folder, whose name is as long. The file itself may exist, or its name be
 * claimed by another import at this moment.
 * @returns the error when it can't be made
 */
export async function tryFolderOf(file: string): Promise<unknown> {
  const { dir, base } = path.parse(file);
  const name = probePrefix + randomBytes(6).toString('hex');
  const probe = path.join(dir, name.padEnd(Buffer.byteLength(base), 'x'));
  try {
    const handle = await open(probe, 'wx', 0o600);
    await handle.close();
    await rm(probe);
    return undefined;
  } catch (error) {
    return error;
  }
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
