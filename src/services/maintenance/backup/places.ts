import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { AppError, unlessMissing } from '../../../errors.js';
import { importsFolder } from '../../imports/queue/spool.js';

/** Where a backup is put. */
export interface Target {
  /** The SQLite file; none on a server. */
  database: string | undefined;
  /** None when files are in a bucket. */
  files: string | undefined;
  /** The folder in DATA_DIR that has the manifest as soon as all copies are checked and complete. */
  staging: string;
  /** The folder of imports, of which a backup has nothing. */
  imports: string;
}

export function targetOf(config: Config): Target {
  const { dataDir, database, files } = config;
  return {
    database: database.dialect === 'sqlite' ? database.file : undefined,
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

/** As {@link sizeOf}, and nothing for a path that can't be looked at: whoever uses it says why. */
const sizeIfKnown = (file: string) => sizeOf(file).catch(() => undefined);

/**
 * Refuses to go on where a restore has not put the database into place yet, because it was killed, or is running. A new database
 * there would be empty, and anybody could set it up.
 * @throws AppError `DATABASE_MISSING` then
 */
export async function assertNoUnfinishedRestore(config: Config): Promise<void> {
  const { database, staging } = targetOf(config);
  if (database === undefined || (await sizeIfKnown(stagedDatabase(database))) === undefined) return;
  if (await sizeIfKnown(database)) return;
  throw new AppError(
    'DATABASE_MISSING',
    `A restore was interrupted: there is ${stagedDatabase(database)}, but no database yet. Finish it: coursectl restore <folder>. To give it up, remove that file and the folder ${staging}.`,
  );
}
