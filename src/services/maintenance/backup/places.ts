import { readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { AppError, unlessMissing } from '../../../errors.js';
import { importsFolder } from '../../imports/store/spool.js';

/** Where a backup is put. */
export interface Target {
  /** The SQLite file, which a symbolic link may name; none on a server. */
  database: string | undefined;
  /** None when files are in a bucket. */
  files: string | undefined;
  /** The folder in DATA_DIR that has the manifest as soon as all copies are checked and complete. */
  staging: string;
  /** The folder of imports, of which a backup has nothing. */
  imports: string;
}

/** As many links as Linux follows. */
const longestChain = 40;

/** The file that a symbolic link names, which needn't exist: a file that is renamed to the link's place would replace the link. */
async function linkedFile(file: string): Promise<string> {
  let named = file;
  for (let links = 0; links < longestChain; links += 1) {
    // It is no link, doesn't exist, or can't be read: using it will give the reason.
    const to = await readlink(named).catch(() => undefined);
    if (to === undefined) break;
    named = path.resolve(await realpath(path.dirname(named)), to);
  }
  return named;
}

export async function targetOf(config: Config): Promise<Target> {
  const { dataDir, database, files } = config;
  return {
    database: database.dialect === 'sqlite' ? await linkedFile(database.file) : undefined,
    files: files.storage.kind === 'local' ? files.storage.folder : undefined,
    staging: path.join(dataDir, 'restoring'),
    imports: importsFolder({ config }),
  };
}

/** Beside the database, because both must be on one file system. */
export const stagedDatabase = (file: string) => `${file}.restoring`;

/** In the storage, because that may be a mount, or a link to another disk. The name is no key's: the storage ignores it. */
export const stagedFiles = (folder: string) => path.join(folder, '.restoring');

/** The bytes of a file or folder; nothing where there is none. */
export const sizeOf = async (file: string): Promise<number | undefined> => (await unlessMissing(stat(file)))?.size;

export const exists = async (file: string) => (await sizeOf(file)) !== undefined;

/** As {@link sizeOf}, and nothing for a path that can't be read: using it will give the reason. */
const sizeIfKnown = (file: string) => sizeOf(file).catch(() => undefined);

/**
 * Refuses to go on where a restore has not put the database into place yet, because it was killed, or is running. A new database
 * there would be empty, and anybody could set it up.
 * @throws AppError `DATABASE_MISSING` then
 */
export async function assertNoUnfinishedRestore(config: Config): Promise<void> {
  const { database, staging } = await targetOf(config);
  if (database === undefined || (await sizeIfKnown(stagedDatabase(database))) === undefined) return;
  if (await sizeIfKnown(database)) return;
  throw new AppError(
    'DATABASE_MISSING',
    `A restore was interrupted: there is ${stagedDatabase(database)}, but no database yet. Finish it: coursectl restore <folder>. To give it up, remove that file and the folder ${staging}.`,
  );
}
