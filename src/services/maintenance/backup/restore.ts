import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { openDatabase } from '../../../db/connection.js';
import { withFileLock } from '../../../db/file-lock.js';
import { migrationStatus } from '../../../db/migrator.js';
import { AppError } from '../../../errors.js';
import { diskFault } from '../../../storage/disk-fault.js';
import { makeFolder } from '../../../storage/make-folder.js';
import type { Core } from '../../core.js';
import type { BackupOptions } from './backup.js';
import { checkedBackup } from './check-backup.js';
import type { Manifest } from './manifest.js';
import { type Target, targetOf } from './places.js';
import { assertDumpFits, settleDump } from './restored-dump.js';
import { prepare, preparedManifest, putIntoPlace } from './staging.js';

/** What was restored. */
export interface Restored {
  manifest: Manifest;
  /** The names of migrations that this program has and the backup's database doesn't. */
  pending: string[];
  /** How many imports failed because their uploads are not in the backup; nothing where the database needs the operator's work. */
  stoppedImports: number | undefined;
}

/**
 * Restores a backup into an installation that has neither a database nor files. Everything is checked before anything is
 * put into place: the files first, the database last. A restore that was killed before is finished, or begun again, by the next
 * one of the same backup. All sessions are ended: some were ended since, and would be valid again. On a server so are those of a dump
 * that was restored before, unless its database was used since the backup.
 * @throws AppError `FILE_UNUSABLE` for a backup that can't be used, a target that has files, and while another restore is running; `DATABASE_NOT_EMPTY`,
 *   `SCHEMA_OUTDATED` when a newer program made it, `DISK_FULL`, `STORAGE_UNAVAILABLE`, `INTERRUPTED`
 */
export async function restoreBackup(core: Core, options: BackupOptions): Promise<Restored> {
  const { config, now } = core;
  const target = await targetOf(config);
  const manifest = await checkedBackup(options.folder, options.signal);
  assertFits(manifest, target, options.folder);
  await assertDumpFits(core);
  const taken = () =>
    new AppError('FILE_UNUSABLE', `Another restore into ${config.dataDir} is running. Wait for its end.`);
  try {
    await makeFolder(config.dataDir);
    return await withFileLock(path.join(config.dataDir, 'restore.lock'), taken, async () => {
      const stopped = await putBackup(manifest, target, options, now());
      const stoppedImports = manifest.dialect === 'sqlite' ? stopped : await settleDump(core, manifest);
      return { manifest, pending: await pendingOf(config, manifest), stoppedImports };
    });
  } catch (error) {
    throw diskFault(config.dataDir, error);
  }
}

/** @returns how many imports failed because their uploads are not in the backup */
async function putBackup(manifest: Manifest, target: Target, options: BackupOptions, now: Date): Promise<number> {
  const prepared = await preparedManifest(target);
  if (prepared && JSON.stringify(prepared) !== JSON.stringify(manifest))
    throw new AppError(
      'FILE_UNUSABLE',
      `A restore of another backup, begun at ${prepared.startedAt}, was interrupted. Finish it: restore that backup. To give it up, remove the folder ${target.staging}.`,
    );
  const stoppedImports = prepared ? 0 : await prepare(manifest, target, options, now);
  await putIntoPlace(target);
  return stoppedImports;
}

function assertFits({ dialect, files }: Manifest, { database, files: folder }: Target, backup: string): void {
  if ((dialect === 'sqlite') !== (database !== undefined))
    throw new AppError(
      'FILE_UNUSABLE',
      `The backup ${backup} is of ${dialect === 'sqlite' ? 'SQLite' : 'a database server'}, and DATABASE_URL names another kind of database. Change DATABASE_URL.`,
    );
  if ((files === null) !== (folder === undefined))
    throw new AppError(
      'FILE_UNUSABLE',
      `The backup ${backup} has ${files === null ? 'no files, because they are in a bucket' : 'local files'}. Set FILE_STORAGE to ${files === null ? 's3' : 'local'}.`,
    );
}

/** What `migrate up` has to do; of a server's dump nothing is known here. */
async function pendingOf({ database: settings }: Config, { dialect }: Manifest): Promise<string[]> {
  if (dialect !== 'sqlite') return [];
  const database = openDatabase(settings);
  try {
    return (await migrationStatus(database)).pending;
  } finally {
    await database.close();
  }
}
