import { chmod, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { copySqlite, namingDiskOfCopy, sqliteProblems } from '../../../db/admin/sqlite-copy.js';
import { type Database, openDatabase } from '../../../db/connection.js';
import type { Lease } from '../../../db/lease.js';
import { migrationStatus } from '../../../db/migrations/migrator.js';
import { AppError, isAppError } from '../../../errors.js';
import { packageVersion } from '../../../package-root.js';
import { diskFault, makeFolder, syncToDisk } from '../../../storage/disk.js';
import { UnreadableObject } from '../../../storage/storage.js';
import type { Core } from '../../core.js';
import { assertRemovalsHeld, holdRemovals } from '../../files/removal-hold.js';
import { copyStream, keyFolders, measure } from './copy.js';
import { databaseName, filesName, type Manifest, manifestName, writeManifest } from './manifest.js';

export interface BackupOptions {
  /** Absolute path of the backup. */
  folder: string;
  signal: AbortSignal;
  onFile(done: number, total: number): void;
  /** Called with the reason for each file that a backup leaves out because it can't be read. */
  onUnreadable?(reason: string): void;
}

/**
 * Backs up an SQLite database and the local files while the service runs. The database is copied first. No process
 * removes files until they are copied, too, so that the backup has every live file of the copied database. For a
 * database on a server, only the files are copied.
 * @returns the manifest; a folder without a manifest is an incomplete backup
 * @throws AppError `USAGE` for a folder that isn't empty, `FILE_UNUSABLE` while another backup is running and if this
 *   backup was paused for too long, `DISK_FULL`, `STORAGE_UNAVAILABLE`, `DATABASE_UNUSABLE`, `INTERRUPTED`, and the
 *   errors of any query. After an error, the written files are removed.
 */
export async function makeBackup(core: Core, options: BackupOptions): Promise<Manifest> {
  const { folder } = options;
  const isNew = await makeEmptyFolder(folder);
  try {
    return await holdRemovals(core, (hold) => writeBackup(core, options, hold));
  } catch (error) {
    // The first error matters more. Remaining files do no harm, because a backup without a manifest is never restored.
    await removeParts(folder, isNew).catch(() => undefined);
    throw backupFault(folder, error);
  }
}

/** Names the folder in faults of its disk. The backup writes to no other disk, except for the lease in the database. */
function backupFault(folder: string, error: unknown): unknown {
  const fault = diskFault(folder, error);
  if (!isAppError(fault, 'DISK_FULL')) return fault;
  const message = `The disk of the folder ${folder} is full. Free some space, or name a folder on another disk.`;
  return new AppError('DISK_FULL', message, { cause: error });
}

/** @returns whether the folder is new */
async function makeEmptyFolder(folder: string): Promise<boolean> {
  try {
    const made = await makeFolder(folder);
    if (made !== undefined) {
      await syncToDisk(path.dirname(made));
      return true;
    }
    const names = await readdir(folder);
    if (names.length === 0) {
      const { uid } = await stat(folder);
      if (process.geteuid !== undefined && uid !== process.geteuid())
        throw new AppError('USAGE', `The folder ${folder} belongs to another user, who could read it. Name a new one.`);
      await chmod(folder, 0o700);
      return false;
    }
    const isIncomplete = names.includes(databaseName) && !names.includes(manifestName);
    const why = isIncomplete ? ': it has an incomplete backup' : '';
    throw new AppError('USAGE', `The folder ${folder} isn't empty${why}. Name another one, or remove it.`);
  } catch (error) {
    throw backupFault(folder, error);
  }
}

async function removeParts(folder: string, isNew: boolean): Promise<void> {
  const parts = [databaseName, `${databaseName}-wal`, `${databaseName}-shm`, filesName, `${manifestName}.new`];
  for (const name of parts) await rm(path.join(folder, name), { recursive: true, force: true });
  if (isNew) await rmdir(folder);
}

async function writeBackup(core: Core, options: BackupOptions, hold: Lease): Promise<Manifest> {
  const { config, now } = core;
  const startedAt = now().toISOString();
  const copied =
    config.database.dialect === 'sqlite'
      ? await namingDiskOfCopy(options.folder, () => backUpDatabase(core, options))
      : undefined;
  const { migrations, live } = copied ?? (await contentsOf(core.database));
  const stored = config.files.storage.kind === 'local' ? await backUpFiles(core, live, options) : undefined;
  await assertRemovalsHeld(core, hold);
  const manifest: Manifest = {
    version: 1,
    program: packageVersion(),
    startedAt,
    finishedAt: now().toISOString(),
    dialect: config.database.dialect,
    migrations,
    database: copied?.database ?? null,
    files: stored?.files ?? null,
    missing: stored?.missing ?? [],
  };
  await writeManifest(options.folder, manifest);
  return manifest;
}

interface LiveFile {
  key: string;
  bytes: number;
}

/** Reads the migrations and the live files of a database. */
async function contentsOf(database: Database): Promise<{ migrations: string[]; live: LiveFile[] }> {
  const { executed } = await migrationStatus(database);
  const rows = await database.read(() =>
    database.models.StoredFile.findAll({
      attributes: ['storageKey', 'bytes'],
      where: { state: 'live' },
      order: ['id'],
    }),
  );
  return {
    migrations: executed,
    live: rows.map(({ storageKey, bytes }) => ({ key: storageKey, bytes: Number(bytes) })),
  };
}

async function backUpDatabase({ database }: Core, { folder, signal }: BackupOptions) {
  const file = path.join(folder, databaseName);
  await copySqlite(database, file);
  if (signal.aborted) throw new AppError('INTERRUPTED');
  const copy = openDatabase({ dialect: 'sqlite', file });
  try {
    const problems = await sqliteProblems(copy);
    if (problems.length > 0)
      throw new AppError(
        'DATABASE_UNUSABLE',
        `The database is damaged: ${problems.join('; ')}. Restore an earlier backup, or repair it with SQLite's ".recover".`,
      );
    const contents = await contentsOf(copy);
    // Closing removes the write-ahead log that reading created.
    await copy.close();
    await syncToDisk(file);
    return { ...contents, database: await measure(file, signal) };
  } finally {
    await copy.close();
  }
}

async function backUpFiles(
  { storage }: Core,
  live: readonly LiveFile[],
  { folder, signal, onFile, onUnreadable }: BackupOptions,
) {
  const folders = await keyFolders(path.join(folder, filesName));
  const files: NonNullable<Manifest['files']> = [];
  const missing: string[] = [];
  for (const [index, { key, bytes }] of live.entries()) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const object = await storage.open(key).catch((error: unknown) => {
      if (!(error instanceof UnreadableObject)) throw error;
      onUnreadable?.(error.message);
      return undefined;
    });
    const copied = object && (await copyStream(object.stream, await folders.pathOf(key), signal));
    if (copied) files.push({ key, ...copied });
    if (copied?.bytes !== bytes) missing.push(key);
    onFile(index + 1, live.length);
  }
  await folders.sync();
  return { files, missing };
}
