import { createReadStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import { sqliteProblems } from '../../../db/admin/sqlite-copy.js';
import { openDatabase } from '../../../db/connection.js';
import { migrationStatus } from '../../../db/migrations/migrator.js';
import { withFileLock } from '../../../db/sqlite/file-lock.js';
import { AppError, databaseUnavailableCodes, isAppError, undefinedIfMissing } from '../../../errors.js';
import { diskFault, makeFolder, syncToDisk } from '../../../storage/disk.js';
import { isKey } from '../../../storage/storage.js';
import type { Core } from '../../core.js';
import { importsFolder } from '../../imports/store/spool.js';
import type { BackupOptions } from './backup.js';
import { copyStream, filesBelow, keyFolders } from './copy.js';
import { resolveLink, sizeOf, stagedDatabase } from './database-file.js';
import { checkedBackup, databaseName, filesName, type Manifest } from './manifest.js';
import { adoptImports, isUsedSince } from './restored-imports.js';
import { type EndedMails, endMails } from './restored-mails.js';
import { assertOwnFiles, assertPlainTables } from './restored-rows.js';

export interface Restored {
  manifest: Manifest;
  /** Migrations of this program that the restored database lacks; empty for a database on a server. */
  pending: string[];
  /**
   * Number of imports that failed because the backup lacks their uploads; undefined if the operator must still restore the
   * dump.
   */
  stoppedImports: number | undefined;
  /** Numbers of ended mails and links; undefined in the same case as `stoppedImports`. */
  mails: EndedMails | undefined;
}

interface Target {
  /** SQLite file, with symbolic links resolved; undefined for a server. */
  database: string | undefined;
  /** Folder of the files; undefined for a bucket. */
  files: string | undefined;
}

/**
 * Restores a backup into an installation without a database and without other files. The database is copied and checked
 * first, and renamed last. Until then, `assertNoUnfinishedRestore` keeps other commands from creating a database. After
 * a killed restore, the next one starts from the beginning and replaces the copies. All sessions are ended, because
 * sessions that ended after the backup would be valid again. The sessions of a dump that was restored on a server are
 * ended, too, unless the database was used since the backup. For mails and links see {@link endMails}.
 * @throws AppError `FILE_UNUSABLE` if the backup can't be used, the target has other files, or another restore is
 *   running; `DATABASE_NOT_EMPTY`, `SCHEMA_OUTDATED` if a newer program made the backup, `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`, `INTERRUPTED`
 */
export async function restoreBackup(core: Core, options: BackupOptions): Promise<Restored> {
  const { dataDir, database, files } = core.config;
  const target: Target = {
    database: database.dialect === 'sqlite' ? await resolveLink(database.file) : undefined,
    files: files.storage.kind === 'local' ? files.storage.folder : undefined,
  };
  const manifest = await checkedBackup(options.folder, options.signal);
  assertMatchesTarget(manifest, target, options.folder);
  await assertDumpUsable(core);
  const restoreRunning = () =>
    new AppError('FILE_UNUSABLE', `Another restore into ${dataDir} is running. Wait for its end.`);
  try {
    await makeFolder(dataDir);
    return await withFileLock(path.join(dataDir, 'restore.lock'), restoreRunning, () =>
      restoreInto(core, manifest, target, options),
    );
  } catch (error) {
    throw diskFault(dataDir, error);
  }
}

function assertMatchesTarget({ dialect, files }: Manifest, { database, files: folder }: Target, backup: string): void {
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

/** Checks the rows of a restored dump on a server like those of a restored SQLite file. @throws AppError `FILE_UNUSABLE` */
async function assertDumpUsable({ database, config }: Core): Promise<void> {
  if (config.database.dialect === 'sqlite') return;
  try {
    await assertOwnFiles(database, `The database ${databaseUrlForDisplay(config.database)}`);
  } catch (error) {
    // The files may be restored before the dump, so the database may be missing.
    if (!isAppError(error, ...databaseUnavailableCodes)) throw error;
  }
}

async function restoreInto(core: Core, manifest: Manifest, target: Target, options: BackupOptions): Promise<Restored> {
  await inStorage(target.files, (storage) => assertNoOtherFiles(storage, manifest));
  if (target.database === undefined) {
    await inStorage(target.files, (storage) => copyFiles(manifest, storage, options));
    return { manifest, pending: [], ...(await adoptDump(core, manifest)) };
  }
  await assertNoDatabase(target.database);
  const staged = stagedDatabase(target.database);
  await removeStaged(staged);
  try {
    const checked = await stageDatabase(core, manifest, staged, options);
    await inStorage(target.files, (storage) => copyFiles(manifest, storage, options));
    await rm(`${target.database}-shm`, { force: true });
    await rename(staged, target.database);
    await syncToDisk(path.dirname(target.database));
    return { manifest, ...checked };
  } catch (error) {
    // The first error matters more. The next restore removes remaining files.
    await removeStaged(staged).catch(() => undefined);
    throw error;
  }
}

/** @throws AppError `DATABASE_NOT_EMPTY` */
async function assertNoDatabase(database: string): Promise<void> {
  for (const file of [database, `${database}-wal`, `${database}-journal`])
    if (((await sizeOf(file)) ?? 0) > 0)
      throw new AppError(
        'DATABASE_NOT_EMPTY',
        `${file} exists. A restore needs an installation without a database: move it away, or set DATABASE_URL or DATA_DIR.`,
      );
}

async function removeStaged(staged: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(`${staged}${end}`, { force: true });
}

const hasChanged = (folder: string, part: string) =>
  new AppError('FILE_UNUSABLE', `The backup ${folder} changed while it was restored: ${part}. Try again.`);

/** Copies the database, checks the copy, and removes its sessions and leases. */
async function stageDatabase(core: Core, manifest: Manifest, file: string, { folder, signal }: BackupOptions) {
  await makeFolder(path.dirname(file));
  const copied = await copyStream(createReadStream(path.join(folder, databaseName)), file, signal);
  if (copied.sha256 !== manifest.database?.sha256) throw hasChanged(folder, databaseName);
  const database = openDatabase({ dialect: 'sqlite', file });
  try {
    const name = `The database of the backup ${folder}`;
    await assertPlainTables(database, name);
    const problems = await sqliteProblems(database);
    if (problems.length > 0)
      throw new AppError('FILE_UNUSABLE', `${name} is damaged: ${problems.join('; ')}. Use another backup.`);
    const { unknown, pending } = await migrationStatus(database);
    if (unknown.length > 0)
      throw new AppError(
        'SCHEMA_OUTDATED',
        `The database of the backup is newer than this program (${unknown.join(', ')}). Update coursectl.`,
      );
    await assertOwnFiles(database, name);
    await database.inTransaction(async (transaction) => {
      for (const table of ['sessions', 'leases'])
        await database.sequelize.query(`DELETE FROM ${table}`, { transaction });
    });
    const stoppedImports = await adoptImports(database, importsFolder(core), core.now());
    const mails = await endMails(database);
    // Closing removes the write-ahead log.
    await database.close();
    await syncToDisk(file);
    await syncToDisk(path.dirname(file));
    return { pending, stoppedImports, mails };
  } finally {
    await database.close();
  }
}

/** Runs work on the storage's folder, if any; errors of the disk name the folder. */
async function inStorage(storage: string | undefined, work: (storage: string) => Promise<void>): Promise<void> {
  if (storage === undefined) return;
  try {
    await work(storage);
  } catch (error) {
    throw diskFault(storage, error);
  }
}

/**
 * @throws AppError `FILE_UNUSABLE` if the storage has files that the backup lacks. Files of a killed restore are
 *   replaced.
 */
async function assertNoOtherFiles(storage: string, { files }: Manifest): Promise<void> {
  const keys = new Set(files?.map(({ key }) => key));
  const entries = (await undefinedIfMissing(readdir(storage, { withFileTypes: true }))) ?? [];
  const found = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  // Folders with other names, such as "lost+found", don't belong to the storage.
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isKey(`${entry.name}/file`)))
    found.push(...(await filesBelow(path.join(storage, name))).map((file) => path.posix.join(name, file)));
  const other = found.find((file) => !keys.has(file));
  if (other !== undefined)
    throw new AppError(
      'FILE_UNUSABLE',
      `The folder ${storage} has files that the backup doesn't have, such as ${other}. A restore needs a folder without other files: move them away, or set DATA_DIR.`,
    );
}

/** Copies the files into the storage; removes the copies after a failure. */
async function copyFiles(
  { files }: Manifest,
  storage: string,
  { folder, signal, onFile }: BackupOptions,
): Promise<void> {
  const made: string[] = [];
  try {
    const folders = await keyFolders(storage);
    for (const { key, sha256 } of files ?? []) {
      if (signal.aborted) throw new AppError('INTERRUPTED');
      const file = await folders.pathOf(key);
      await rm(file, { force: true });
      made.push(file);
      const copied = await copyStream(createReadStream(path.join(folder, filesName, key)), file, signal);
      if (copied.sha256 !== sha256) throw hasChanged(folder, key);
      onFile(made.length, files?.length ?? 0);
    }
    await folders.sync();
  } catch (error) {
    // The first error matters more. The next restore replaces remaining files.
    for (const file of made) await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Adapts a restored dump on a server like a restored SQLite file: ends sessions, stops imports whose uploads the backup
 * lacks, and withdraws mails.
 * @returns the counts; undefined counts if the dump wasn't restored yet, can't be used, or was used since the backup
 */
async function adoptDump(core: Core, manifest: Manifest): Promise<Pick<Restored, 'stoppedImports' | 'mails'>> {
  const { database } = core;
  const unsettled = { stoppedImports: undefined, mails: undefined };
  try {
    // The dump is older than `startedAt`, because the dump is made before the files are copied.
    if (await isUsedSince(database, new Date(manifest.startedAt))) return unsettled;
    await database.inTransaction((transaction) => database.models.Session.destroy({ where: {}, transaction }));
    const stoppedImports = await adoptImports(database, importsFolder(core), core.now());
    return { stoppedImports, mails: await endMails(database) };
  } catch (error) {
    // The files are restored, possibly before the dump. The command then tells the operator how to restore the dump.
    if (isAppError(error, ...databaseUnavailableCodes)) return unsettled;
    throw error;
  }
}
