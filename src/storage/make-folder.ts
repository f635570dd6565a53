import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, unlessMissing } from '../errors.js';

/** The first part of a path that doesn't exist, or is a symbolic link to nothing. */
async function firstMissing(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent === folder || (await unlessMissing(stat(parent)))) return folder;
  return firstMissing(parent);
}

/**
 * Makes a folder that only this user can read, and those that it is in; does nothing where it exists.
 * @returns the first one that was made; nothing when it existed
 * @throws the error of the file system, which `diskFault` translates
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const mode = 0o700;
  try {
    return await mkdir(folder, { recursive: true, mode });
  } catch (error) {
    // Node 20 says so of a file system that is read-only, too. Only making a single folder fails with the reason.
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    await mkdir(await firstMissing(folder), { mode });
    return mkdir(folder, { recursive: true, mode });
  }
}
