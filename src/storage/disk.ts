import { constants, copyFile, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isDiskFull, systemErrorCode, undefinedIfMissing } from '../errors.js';

/**
 * Continuations of "The folder ...", by the code of an error that the operator must fix. Callers handle other errors,
 * such as a missing file.
 */
const faultMessages: Readonly<Record<string, string>> = {
  EACCES: "can't be used: check that it belongs to the user that runs the service.",
  EPERM: "can't be used: check that it belongs to the user that runs the service.",
  EROFS: 'is on a file system that is read-only: check how it is mounted.',
  ENOTDIR: "isn't a folder: check the path.",
  EEXIST: "isn't a folder: check the path.",
  ELOOP: 'contains a symbolic link in place of a file: check who created it.',
  EIO: "can't be read or written: check the disk.",
  ENODEV: "isn't available: check that its disk is mounted.",
  ENXIO: "isn't available: check that its disk is mounted.",
  EBUSY: 'is in use, or has a file system mounted in it: check what is mounted there.',
  EXDEV: 'is on several file systems: check what is mounted in it.',
  ESTALE: "isn't available any more: check that its network file system is mounted.",
  ETIMEDOUT: "doesn't answer: check that its network file system is mounted.",
  EMFILE: "can't be used: too many files are open; check the limits of the process.",
  ENFILE: "can't be used: too many files are open; check the limits of the system.",
};

/** Translates an error of reading or writing below `folder`; returns other errors unchanged. */
export function diskFault(folder: string, error: unknown): unknown {
  const code = systemErrorCode(error) ?? '';
  if (isDiskFull(code)) return new AppError('DISK_FULL', undefined, { cause: error });
  const sentence = Object.hasOwn(faultMessages, code) ? faultMessages[code] : undefined;
  if (sentence === undefined) return error;
  return new AppError('STORAGE_UNAVAILABLE', `The folder "${folder}" ${sentence}`, { cause: error });
}

/** Returns the first part of a path that doesn't exist or is a dangling symbolic link. */
async function firstMissing(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent === folder || (await undefinedIfMissing(stat(parent)))) return folder;
  return firstMissing(parent);
}

/**
 * Creates a folder that only this user can read, and its missing parents.
 * @returns the first created folder; undefined if the folder existed
 * @throws the error of the file system, which `diskFault` translates
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const mode = 0o700;
  try {
    return await mkdir(folder, { recursive: true, mode });
  } catch (error) {
    // Node 20 reports ENOENT for a read-only file system, too. Creating a single folder fails with the real reason.
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    await mkdir(await firstMissing(folder), { mode });
    return mkdir(folder, { recursive: true, mode });
  }
}

/** Syncs a file, or the names in a folder, to the disk. Otherwise a crash can lose new or renamed files. */
export async function syncToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Resolves a file below a folder. Names from a database or a backup may be absolute, contain "..", or lead through symbolic
 * links. The folder itself may be a link.
 * @param file path, relative to the folder or absolute
 * @returns the real path, relative to the folder; undefined if it isn't below the folder
 * @throws the error of the file system, also for a missing file
 */
export async function pathBelow(folder: string, file: string): Promise<string | undefined> {
  // No file system allows a NUL in a name, and Node throws an error without a system code.
  if (file.includes('\0')) return undefined;
  const [root, real] = await Promise.all([realpath(folder), realpath(path.resolve(folder, file))]);
  const relative = path.relative(root, real);
  const isBelow = relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
  return isBelow ? relative : undefined;
}

// These flags refuse symbolic links and don't block on pipes.
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Checks that a file is a regular file, restricts it to this user, and syncs it to the disk. */
async function secureFile(file: string): Promise<void> {
  const handle = await open(file, readFlags);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`Not a regular file: ${file}`);
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Moves a regular file atomically, restricted to this user and with durable content. The caller syncs the folder. If the
 * target is on another file system, the file is copied there, and the copy is renamed.
 * @param prepareCopy creates the folder of the copy and returns the copy's path. The path must be on the file system of
 *   the target, under a name that a cleanup recognises after a crash.
 */
export async function moveFile(file: string, target: string, prepareCopy: () => Promise<string>): Promise<void> {
  await secureFile(file);
  try {
    await rename(file, target);
  } catch (error) {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await copyAndRename(file, target, await prepareCopy());
  }
}

async function copyAndRename(file: string, target: string, copy: string): Promise<void> {
  try {
    await copyFile(file, copy, constants.COPYFILE_EXCL);
    await secureFile(copy);
    await rename(copy, target);
  } catch (error) {
    // The first error matters more. The cleanup removes a remaining copy.
    await rm(copy, { force: true }).catch(() => undefined);
    throw error;
  }
  await rm(file, { force: true });
}
