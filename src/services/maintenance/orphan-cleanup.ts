import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Op } from 'sequelize';
import { undefinedIfMissing } from '../../errors.js';
import type { FileState } from '../../schemas/file.js';
import { diskFault } from '../../storage/disk.js';
import { isOwnKey, temporaryKinds } from '../../storage/storage.js';
import type { Core } from '../core.js';
import { type Removal, sweepMarked, uploadsFolder } from '../files/files.js';
import { isId } from '../ids.js';
import { importsFolder, removeOrphanedUploads } from '../imports/store/spool.js';

/** Age at which an unfinished upload counts as interrupted, in milliseconds. */
const abandonedAfterMs = 60 * 60_000;

export interface Cleanup extends Removal {
  /** Number of removed leftovers of crashes: partial uploads, partial objects and copies of imported files. */
  leftovers: number;
}

/** Result of a cleanup and a comparison of storage and database. */
export interface StorageReport extends Cleanup {
  /** Keys of objects in the storage without a row. */
  unknown: string[];
  /** Keys of live files that the storage doesn't have. */
  missing: string[];
  /** Live files that exist in the storage but can't be read. */
  unreadable: UnreadableFile[];
  /** Live files whose size in the storage differs from their row. */
  wrongSize: WrongSize[];
}

/** File that can't be read because of its permissions, type or disk. */
export interface UnreadableFile {
  key: string;
  /** Sentence that names the file and the remedy. */
  reason: string;
}

/** File that was truncated or overwritten in the storage. */
export interface WrongSize {
  key: string;
  /** Size in the row. */
  bytes: number;
  storedBytes: number;
}

/**
 * Removes orphans of crashes and failures: marked files, interrupted uploads and partial objects. May run on every instance
 * at any time.
 * @throws AppError `STORAGE_UNAVAILABLE`, and errors of the database
 */
export async function sweepFiles(core: Core, signal?: AbortSignal): Promise<Cleanup> {
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  await core.database.inTransaction((transaction) =>
    core.database.models.StoredFile.update(
      { state: 'marked' },
      { where: { state: 'pending', createdAt: { [Op.lt]: before } }, transaction },
    ),
  );
  const removal = await sweepMarked(core, {}, signal);
  const uploads = await withDiskFault(uploadsFolder(core), (folder) => sweepUploads(folder, before));
  const imports = await withDiskFault(importsFolder(core), (folder) => sweepImports(core, folder, before));
  return { ...removal, leftovers: uploads + imports + (await sweepPartial(core, before)) };
}

/** Runs a cleanup of a folder and translates errors of the disk. @throws AppError `STORAGE_UNAVAILABLE` */
async function withDiskFault(folder: string, sweep: (folder: string) => Promise<number>): Promise<number> {
  try {
    return await sweep(folder);
  } catch (error) {
    throw diskFault(folder, error);
  }
}

/** Whether a file is an upload or an image made from one. Files with other names belong to other programs. */
const isUploadName = (name: string): boolean => isId(name.replace(/\.webp$/, ''));

async function sweepUploads(folder: string, before: Date): Promise<number> {
  let removed = 0;
  for (const name of (await namesIn(folder)).filter(isUploadName)) {
    const file = path.join(folder, name);
    const age = await undefinedIfMissing(lstat(file));
    // The request may have moved or removed the file since the folder was read. The program creates only regular files
    // here.
    if (!age?.isFile() || age.mtime >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function sweepImports(core: Core, folder: string, before: Date): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(folder)) removed += Number(await removeOrphanedUploads(core, name, before));
  return removed;
}

/** Returns the names in a folder; empty before the first upload creates the folder. */
const namesIn = async (folder: string): Promise<string[]> => (await undefinedIfMissing(readdir(folder))) ?? [];

/**
 * Removes temporary objects that a killed process left in the storage; no row names them. The kind of each key is checked
 * again, because objects of other kinds are in use.
 */
async function sweepPartial({ storage }: Core, before: Date): Promise<number> {
  const keys: string[] = [];
  for (const kind of temporaryKinds)
    for await (const { key, modifiedAt } of storage.list(kind))
      if (modifiedAt < before && key.startsWith(`${kind}/`) && isOwnKey(key)) keys.push(key);
  await storage.remove(keys);
  return keys.length;
}

/**
 * Runs {@link sweepFiles}, then compares the storage with the database.
 * @param removeUnknown removes unknown objects; safe only if no other program uses the same storage
 */
export async function sweepStorage(core: Core, removeUnknown: boolean): Promise<StorageReport> {
  const swept = await sweepFiles(core);
  const before = new Date(core.now().getTime() - abandonedAfterMs);
  const known = await filesByKey(core);
  const unknown: string[] = [];
  const wrongSize: WrongSize[] = [];
  const unreadable: UnreadableFile[] = [];
  for await (const { key, bytes: storedBytes, modifiedAt, fault } of core.storage.list()) {
    const file = known.get(key);
    known.delete(key);
    if (!file && modifiedAt < before && isOwnKey(key)) unknown.push(key);
    if (file?.state === 'live' && fault) unreadable.push({ key, reason: fault.message });
    if (file?.state === 'live' && file.bytes !== storedBytes) wrongSize.push({ key, bytes: file.bytes, storedBytes });
  }
  if (removeUnknown) await core.storage.remove(unknown);
  const missing = [...known].flatMap(([key, { state }]) => (state === 'live' ? [key] : []));
  // Files may have been deleted while the storage was listed.
  const now = missing.length + unreadable.length + wrongSize.length > 0 ? await filesByKey(core) : known;
  const isLive = (key: string) => now.get(key)?.state === 'live';
  return {
    ...swept,
    unknown,
    missing: missing.filter(isLive),
    unreadable: unreadable.filter(({ key }) => isLive(key)),
    wrongSize: wrongSize.filter(({ key }) => isLive(key)),
  };
}

async function filesByKey({ database }: Core): Promise<Map<string, { state: FileState; bytes: number }>> {
  const attributes = ['storageKey', 'state', 'bytes'];
  const rows = await database.read(() => database.models.StoredFile.findAll({ attributes }));
  return new Map(rows.map(({ storageKey, state, bytes }) => [storageKey, { state, bytes: Number(bytes) }]));
}
