import { createReadStream, type Dirent } from 'node:fs';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../../db/connection.js';
import { migrationStatus } from '../../../db/migrator.js';
import { sqliteProblems } from '../../../db/sqlite-copy.js';
import { AppError, isAppError, systemErrorCode, unlessMissing } from '../../../errors.js';
import { diskFault } from '../../../storage/disk-fault.js';
import { makeFolder } from '../../../storage/make-folder.js';
import { isKey } from '../../../storage/storage.js';
import { syncFolder } from '../../../storage/sync-folder.js';
import type { BackupOptions } from './backup.js';
import { copyStream, filesBelow, keyFolders, syncFile } from './copy.js';
import { databaseName, filesName, type Manifest, readManifest, writeManifest } from './manifest.js';
import { exists, sizeOf, stagedDatabase, stagedFiles, type Target } from './places.js';
import { adoptImports } from './restored-imports.js';
import { assertFilesBelow, assertPlainTables } from './restored-rows.js';

/** @throws AppError `DATABASE_NOT_EMPTY`, `FILE_UNUSABLE` */
async function assertNoDatabase(database: string): Promise<void> {
  for (const file of [database, `${database}-wal`, `${database}-journal`])
    if (((await sizeOf(file)) ?? 0) > 0)
      throw new AppError(
        'DATABASE_NOT_EMPTY',
        `${file} exists: a backup is restored only where there is no database. Move it away, or set DATABASE_URL or DATA_DIR.`,
      );
}

/** Folders of other kinds, such as "lost+found" of a file system, are none of the storage's. */
async function assertNoFiles(folder: string): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    if (!entry.isDirectory()) throw hasFiles(folder);
    if (isKey(`${entry.name}/file`)) await assertEmptyKind(folder, entry.name);
  }
}

/** @throws AppError `FILE_UNUSABLE` when the storage has files of this kind */
async function assertEmptyKind(folder: string, kind: string): Promise<void> {
  if ((await filesBelow(path.join(folder, kind))).length > 0) throw hasFiles(folder);
}

const hasFiles = (folder: string) =>
  new AppError(
    'FILE_UNUSABLE',
    `The folder ${folder} isn't empty: a backup is restored only where there are no files. Move them away, or set DATA_DIR.`,
  );

/** A folder is created with its first file. */
const entriesOf = async (folder: string): Promise<Dirent[]> =>
  (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? [];

/** Runs work on the storage; faults of its disk name the storage. */
async function inStorage<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskFault(folder, error);
  }
}

/**
 * The manifest of a restore that was killed when all was prepared and the last part not yet in place. A manifest alone tells
 * nothing: a restore that was killed in the end leaves it as well.
 */
export async function preparedManifest(target: Target): Promise<Manifest | undefined> {
  try {
    const manifest = await readManifest(target.staging);
    return manifest && (await isPrepared(manifest, target)) ? manifest : undefined;
  } catch (error) {
    // Damaged, or of a newer program. The backup itself is whole: the restore begins again.
    if (isAppError(error, 'FILE_UNUSABLE')) return undefined;
    throw error;
  }
}

/** Whether what is put into place last is still staged, and every file staged or in place. */
async function isPrepared({ files }: Manifest, { database, files: folder }: Target): Promise<boolean> {
  const places = folder === undefined ? [] : [stagedFiles(folder), folder];
  const last = database === undefined ? places[0] : stagedDatabase(database);
  if (last === undefined || !(await exists(last))) return false;
  for (const { key, bytes } of files ?? []) {
    const sizes = await Promise.all(places.map((place) => sizeOf(path.join(place, key))));
    if (!sizes.includes(bytes)) return false;
  }
  return true;
}

/**
 * Copies the backup beside its target, and checks the copy. After a failure the target is as before.
 * @returns how many imports failed because their uploads are not in the backup
 */
export async function prepare(manifest: Manifest, target: Target, options: BackupOptions, now: Date): Promise<number> {
  const { database, files } = target;
  if (database !== undefined) await assertNoDatabase(database);
  if (files !== undefined) await inStorage(files, () => assertNoFiles(files));
  await discardStaging(target);
  try {
    await makeFolder(target.staging);
    const stopped = database === undefined ? 0 : await stageDatabase(manifest, database, target.imports, options, now);
    const copied = manifest.files;
    if (copied && files !== undefined) await inStorage(files, () => stageFiles(copied, files, options));
    await writeManifest(target.staging, manifest);
    await syncFolder(path.dirname(target.staging));
    return stopped;
  } catch (error) {
    // The first error matters more; the next restore removes what stays.
    await discardStaging(target).catch(() => undefined);
    throw error;
  }
}

async function discardStaging({ staging, database, files }: Target): Promise<void> {
  if (await exists(staging)) {
    await rm(staging, { recursive: true });
    // The manifest must not return beside parts of later copies.
    await syncFolder(path.dirname(staging));
  }
  if (files !== undefined) await inStorage(files, () => rm(stagedFiles(files), { recursive: true, force: true }));
  if (database === undefined) return;
  for (const end of ['', '-wal', '-shm']) await rm(`${stagedDatabase(database)}${end}`, { force: true });
}

const hasChanged = (folder: string, part: string) =>
  new AppError('FILE_UNUSABLE', `The backup ${folder} changed while it was restored: ${part}. Try again.`);

/**
 * Copies the database, checks it, and removes the sessions and leases in it.
 * @returns how many imports failed because their uploads are not in the backup
 */
async function stageDatabase(
  manifest: Manifest,
  target: string,
  imports: string,
  { folder, signal }: BackupOptions,
  now: Date,
): Promise<number> {
  const file = stagedDatabase(target);
  await makeFolder(path.dirname(file));
  const copied = await copyStream(createReadStream(path.join(folder, databaseName)), file, signal);
  if (copied.sha256 !== manifest.database?.sha256) throw hasChanged(folder, databaseName);
  let stopped: number;
  const database = openDatabase({ dialect: 'sqlite', file });
  try {
    const name = `The database of the backup ${folder}`;
    await assertPlainTables(database, name);
    const problems = await sqliteProblems(database);
    if (problems.length > 0)
      throw new AppError('FILE_UNUSABLE', `${name} is damaged: ${problems.join('; ')}. Use another backup.`);
    const { unknown } = await migrationStatus(database);
    if (unknown.length > 0)
      throw new AppError(
        'SCHEMA_OUTDATED',
        `The database of the backup is newer than this program (${unknown.join(', ')}). Update coursectl.`,
      );
    await assertFilesBelow(database, name);
    await database.inTransaction(async (transaction) => {
      for (const table of ['sessions', 'leases'])
        await database.sequelize.query(`DELETE FROM ${table}`, { transaction });
    });
    stopped = await adoptImports(database, imports, now);
  } finally {
    await database.close();
  }
  await syncFile(file);
  await syncFolder(path.dirname(file));
  return stopped;
}

async function stageFiles(
  files: NonNullable<Manifest['files']>,
  storage: string,
  { folder, signal, onFile }: BackupOptions,
): Promise<void> {
  const folders = keyFolders(stagedFiles(storage));
  await folders.create();
  for (const [index, { key, sha256 }] of files.entries()) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const source = createReadStream(path.join(folder, filesName, key));
    const copied = await copyStream(source, await folders.pathOf(key), signal);
    if (copied.sha256 !== sha256) throw hasChanged(folder, key);
    onFile(index + 1, files.length);
  }
  await folders.sync();
  // The storage's own entry.
  await syncFolder(path.dirname(storage));
}

/** Renames what was prepared; each step that a killed restore has done already is left out. */
export async function putIntoPlace({ database, files, staging }: Target): Promise<void> {
  const hasDatabase = database !== undefined && (await exists(stagedDatabase(database)));
  if (hasDatabase) await assertNoDatabase(database);
  if (files !== undefined) await inStorage(files, () => putFilesIntoPlace(files));
  if (hasDatabase) {
    await rm(`${database}-shm`, { force: true });
    await rename(stagedDatabase(database), database);
    await syncFolder(path.dirname(database));
  }
  await rm(staging, { recursive: true, force: true });
  await syncFolder(path.dirname(staging));
}

/** Renames the folders of the kinds one by one, because the storage itself may be a mount or a link. */
async function putFilesIntoPlace(folder: string): Promise<void> {
  const staged = stagedFiles(folder);
  if (!(await exists(staged))) return;
  const kinds = await readdir(staged);
  for (const kind of kinds) await assertEmptyKind(folder, kind);
  for (const kind of kinds) {
    const target = path.join(folder, kind);
    // An empty folder of the storage may be in the way; rename() replaces it, but not on Windows.
    await rmdir(target).catch((error: unknown) => {
      if (systemErrorCode(error) === 'ENOTEMPTY') throw hasFiles(folder);
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    });
    await rename(path.join(staged, kind), target);
  }
  await rmdir(staged);
  await syncFolder(folder);
}
