import { readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { AppError, undefinedIfMissing } from '../../../errors.js';

/** As many links as Linux follows. */
const maxLinks = 40;

/**
 * The file that a symbolic link names, which needn't exist: a file that is renamed to the link's place would replace the link.
 * Of what can't be read, using it will give the reason.
 */
export async function resolveLink(file: string, linksLeft = maxLinks): Promise<string> {
  const to = linksLeft === 0 ? undefined : await readlink(file).catch(() => undefined);
  if (to === undefined) return file;
  return resolveLink(path.resolve(await realpath(path.dirname(file)), to), linksLeft - 1);
}

/** The copy of a database until it is checked: beside its place, because both must be on one file system. */
export const stagedDatabase = (file: string) => `${file}.restoring`;

/** The bytes of a file; nothing where there is none. */
export const sizeOf = async (file: string): Promise<number | undefined> => (await undefinedIfMissing(stat(file)))?.size;

/**
 * Refuses to go on where a restore has not put the database into place yet, because it was killed, or is running. A new database
 * there would be empty, and anybody could set it up.
 * @throws AppError `DATABASE_MISSING` then
 */
export async function assertNoUnfinishedRestore({ database }: Config): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  const file = await resolveLink(database.file);
  // Of paths that can't be read, using them will give the reason.
  const [staged, size] = await Promise.all(
    [stagedDatabase(file), file].map((one) => sizeOf(one).catch(() => undefined)),
  );
  if (staged === undefined || size) return;
  throw new AppError(
    'DATABASE_MISSING',
    `A restore was interrupted: there is ${stagedDatabase(file)}, but no database yet. Run it again: coursectl restore <folder>. To give it up, remove that file.`,
  );
}
