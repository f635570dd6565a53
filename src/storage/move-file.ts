import { constants, copyFile, open, rename, rm } from 'node:fs/promises';
import { systemErrorCode } from '../errors.js';

// Refuses symbolic links, and doesn't block on pipes.
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Checks that a file is a regular one, restricts it to this user, and makes it durable. */
async function secure(file: string): Promise<void> {
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
 * Moves a regular file atomically, so that no reader sees a part of it, restricted to this user and with durable content. The
 * caller syncs the folder. A file of another file system is copied, and the copy is renamed.
 * @param prepareCopy makes the folder of the copy and gives its path: on the file system of the target, under a name that a
 *   cleanup recognises after a crash
 */
export async function moveFile(file: string, target: string, prepareCopy: () => Promise<string>): Promise<void> {
  await secure(file);
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
    await secure(copy);
    await rename(copy, target);
  } catch (error) {
    // The first error matters more; the cleanup finds what stays.
    await rm(copy, { force: true }).catch(() => undefined);
    throw error;
  }
  await rm(file, { force: true });
}
