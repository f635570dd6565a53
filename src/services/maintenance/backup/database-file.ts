import { readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { AppError, undefinedIfMissing } from '../../../errors.js';

/** Maximum number of links in a chain, as in Linux. */
const maxLinks = 40;

/**
 * Resolves a symbolic link to a file that needn't exist. Without this, a rename to the path would replace the link.
 * Returns an unreadable path unchanged: reading the file gives the reason.
 */
export async function resolveLink(file: string, linksLeft = maxLinks): Promise<string> {
  const to = linksLeft === 0 ? undefined : await readlink(file).catch(() => undefined);
  if (to === undefined) return file;
  return resolveLink(path.resolve(await realpath(path.dirname(file)), to), linksLeft - 1);
}

/** Path of the database's copy during a restore. It is in the same folder, because a rename needs one file system. */
export const stagedDatabase = (file: string) => `${file}.restoring`;

/** Returns the size of a file in bytes; undefined if the file doesn't exist. */
export const sizeOf = async (file: string): Promise<number | undefined> => (await undefinedIfMissing(stat(file)))?.size;

/**
 * Checks that no restore is unfinished: running, or killed before the database was in place. Otherwise the service
 * would create an empty database, and anybody could set it up.
 * @throws AppError `DATABASE_MISSING`
 */
export async function assertNoUnfinishedRestore({ database }: Config): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  const file = await resolveLink(database.file);
  // For unreadable paths, a later use gives the reason.
  const [staged, size] = await Promise.all(
    [stagedDatabase(file), file].map((one) => sizeOf(one).catch(() => undefined)),
  );
  if (staged === undefined || size) return;
  throw new AppError(
    'DATABASE_MISSING',
    `A restore was interrupted: ${stagedDatabase(file)} exists, but no database. Run it again: coursectl restore <folder>. To cancel the restore, remove that file.`,
  );
}
