import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { lookup as contentTypeOf } from 'mime-types';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { StoredFile } from '../../db/models/stored-file.js';
import { AppError, notFound } from '../../errors.js';
import type { FileKind } from '../../schemas/file.js';
import { diskFault, makeFolder } from '../../storage/disk.js';
import type { ByteRange, StoredObject } from '../../storage/storage.js';
import type { Core } from '../core.js';
import { sanitizeFilename } from './filename.js';
import { areRemovalsHeld } from './removal-hold.js';

/** Received file: its temporary path and the sender's name for it. */
export interface Upload {
  path: string;
  name: string;
}

export type { ByteRange, StoredObject } from '../../storage/storage.js';

/** Limit of an upload, and the error for a larger file. */
export interface UploadLimit {
  maxBytes: number;
  tooLarge(cause?: unknown): AppError;
}

export const atMost = (maxBytes: number): UploadLimit => ({
  maxBytes,
  tooLarge: (cause) =>
    new AppError('BODY_TOO_LARGE', `The file has more than ${maxBytes} bytes.`, { params: { maxBytes }, cause }),
});

/** Runs a wait during which the request doesn't occupy its slot. Slots limit the number of concurrent requests. */
export type WithoutSlot = <T>(wait: () => Promise<T>) => Promise<T>;

/** Returns the folder of unfinished uploads. Its files are never served. */
export function uploadsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'uploads');
}

export async function makeUploadFolder(folder: string): Promise<void> {
  await makeFolder(folder);
}

/** Translates errors of the disk below the upload folder; returns other errors unchanged. */
export function uploadFault(folder: string, error: unknown): unknown {
  return diskFault(folder, error);
}

type Owner = { courseId: string } | { userId: string };

interface NewFile {
  kind: FileKind;
  owner: Owner;
  uploadedBy: string | null;
  upload: Upload;
  /** Runs the wait for the storage, which may be slow. */
  withoutSlot?: WithoutSlot | undefined;
}

/** Type of all images, because this program converts them. */
const imageType = 'image/webp';

type Attach = (file: StoredFile, transaction: Transaction) => Promise<void>;

/**
 * Stores a file and attaches it to its owner. The row is inserted before the file is stored, and becomes live afterwards.
 * So after a crash a row names the file to remove.
 * @param attach attaches the file, in the transaction that makes it live
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`, and errors of `attach`; the file is removed then
 */
export async function storeFile(core: Core, newFile: NewFile, attach: Attach): Promise<StoredFile> {
  const file = await putFile(core, newFile);
  try {
    const attachAndMakeLive = async (transaction: Transaction) => {
      await attach(file, transaction);
      await makeLive(core, file, transaction);
    };
    await core.database.inTransaction(attachAndMakeLive, {
      committed: async () => (await core.database.models.StoredFile.findByPk(file.id))?.state === 'live',
    });
  } catch (error) {
    await discard(core, file);
    throw error;
  }
  return file.set({ state: 'live' });
}

/**
 * Puts a file into the storage. Its row stays pending until {@link makeLive} in the transaction that attaches the file,
 * or {@link discard}. The cleanup removes files that stay pending for an hour.
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`; the file is removed then
 */
export async function putFile(core: Core, newFile: NewFile): Promise<StoredFile> {
  try {
    return await insertAndPut(core, newFile);
  } finally {
    // After a success the storage has moved the upload; after a failure the upload isn't needed.
    await removeUpload(newFile.upload);
  }
}

async function insertAndPut(
  core: Core,
  { kind, owner, uploadedBy, upload, withoutSlot = (wait) => wait() }: NewFile,
): Promise<StoredFile> {
  const { StoredFile } = core.database.models;
  const { size } = await stat(upload.path);
  const name = sanitizeFilename(upload.name);
  const image = kind !== 'material';
  const row = {
    id: uuidv7(),
    kind,
    state: 'pending' as const,
    // Images are public, so their names must be impossible to guess.
    storageKey: image ? `image/${randomUUID()}.webp` : `material/${randomUUID()}`,
    courseId: 'courseId' in owner ? owner.courseId : null,
    userId: 'userId' in owner ? owner.userId : null,
    name,
    contentType: image ? imageType : contentTypeOf(name) || 'application/octet-stream',
    bytes: size,
    uploadedBy,
    createdAt: core.now(),
  };
  const file = await core.database.inTransaction((transaction) => StoredFile.create(row, { transaction }));
  try {
    await withoutSlot(() => core.storage.put(row.storageKey, upload.path));
  } catch (error) {
    await discard(core, row);
    throw error;
  }
  return file;
}

/** Makes a pending file live. @throws AppError `BODY_INCOMPLETE` if the cleanup has removed it meanwhile */
export async function makeLive(core: Core, { id }: StoredFile, transaction: Transaction): Promise<void> {
  const where = { id, state: 'pending' };
  const [live] = await core.database.models.StoredFile.update({ state: 'live' }, { where, transaction });
  if (live === 0) throw new AppError('BODY_INCOMPLETE', 'The upload took too long.');
}

export async function removeUpload({ path: file }: Upload): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Marks live files for deletion, in the transaction that detaches them. Pending files stay: their upload is still
 * running. It removes the file itself, because the owner is missing.
 */
export async function markForDeletion(
  core: Core,
  condition: WhereOptions<StoredFile>,
  transaction: Transaction,
): Promise<void> {
  const where = { [Op.and]: [{ state: 'live' }, condition] };
  await core.database.models.StoredFile.update({ state: 'marked' }, { where, transaction });
}

/** Removes a file that could not be stored or attached; keeps a live one. After a failure the cleanup removes the file. */
export async function discard(core: Core, { id, storageKey }: Pick<StoredFile, 'id' | 'storageKey'>): Promise<void> {
  const { StoredFile } = core.database.models;
  try {
    const row = await core.database.inTransaction(async (transaction) => {
      await StoredFile.update({ state: 'marked' }, { where: { id, state: 'pending' }, transaction });
      return StoredFile.findByPk(id, { transaction });
    });
    // The commit succeeded; only its response was lost.
    if (row?.state === 'live') return;
    // Removes the file also without a row, because the cleanup may have removed the row before the file was stored.
    await core.storage.remove([storageKey]);
    await core.database.inTransaction((transaction) => StoredFile.destroy({ where: { id }, transaction }));
  } catch (error) {
    core.logger.warn(
      { err: error },
      'a file that was not stored completely could not be removed: the next cleanup retries',
    );
  }
}

const notRemoved = 'files that are marked for deletion could not be removed: the next cleanup retries';

/**
 * Removes marked files after a deletion. Failures are only logged, because the deletion is complete and the next cleanup
 * retries.
 */
export async function removeMarkedFiles(core: Core, where: WhereOptions<StoredFile>): Promise<void> {
  try {
    await sweepMarked(core, where);
  } catch (error) {
    core.logger.warn({ err: error }, notRemoved);
  }
}

export interface Removal {
  removed: number;
  /** Number of files that a running backup needs. */
  held: number;
  /** Number of files left to the next cleanup, because the storage failed to remove their batch. */
  failed: number;
  /** Reason of the first failure. */
  failure: string | null;
}

const removalBatch = 500;

/**
 * Removes marked files, then their rows. After a failed batch its rows stay for the next cleanup, and the next batch is
 * tried.
 * @throws AppError of the database
 */
export async function sweepMarked(
  core: Core,
  where: WhereOptions<StoredFile> = {},
  signal?: AbortSignal,
): Promise<Removal> {
  const { StoredFile } = core.database.models;
  const removal: Removal = { removed: 0, held: 0, failed: 0, failure: null };
  let after = '';
  do {
    const next = { [Op.and]: [{ state: 'marked', id: { [Op.gt]: after } }, where] };
    const files = await core.database.read(() =>
      StoredFile.findAll({ where: next, order: ['id'], limit: removalBatch }),
    );
    const last = files.at(-1);
    if (!last) break;
    after = last.id;
    await removeBatch(core, files, removal);
  } while (!signal?.aborted);
  return removal;
}

/**
 * Removes all files of a batch and their rows. During a backup or after a failure of the storage, all rows of the batch
 * stay. Adds the result to `removal`.
 */
async function removeBatch(core: Core, files: readonly StoredFile[], removal: Removal): Promise<void> {
  // The backup still copies these files; the next cleanup removes them.
  if (await areRemovalsHeld(core)) {
    removal.held += files.length;
    return;
  }
  try {
    await core.storage.remove(files.map(({ storageKey }) => storageKey));
  } catch (error) {
    core.logger.warn({ err: error }, notRemoved);
    removal.failed += files.length;
    removal.failure ??= error instanceof Error ? error.message : String(error);
    return;
  }
  const where = { id: files.map(({ id }) => id) };
  await core.database.inTransaction((transaction) => core.database.models.StoredFile.destroy({ where, transaction }));
  removal.removed += files.length;
}

/** Reads a file in chunks. @throws AppError `STORAGE_UNAVAILABLE` if reading fails */
export async function* readChunks({ stream }: StoredObject): AsyncGenerator<Buffer> {
  try {
    // A stream without an encoding gives buffers.
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw new AppError('STORAGE_UNAVAILABLE', 'A file in the storage could not be read to its end.', { cause: error });
  }
}

export interface OpenOptions {
  /** Chooses a range of the file; by default the whole file. */
  rangeOf?(file: StoredFile): ByteRange | undefined;
  /** Runs the wait for the storage, which may be slow. */
  withoutSlot?: WithoutSlot;
}

/**
 * Opens a live file.
 * @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE` also for a file of the wrong size, and errors of `rangeOf`
 */
export async function openFile(
  core: Core,
  where: WhereOptions<StoredFile>,
  { rangeOf, withoutSlot = (wait) => wait() }: OpenOptions = {},
): Promise<{ file: StoredFile; object: StoredObject }> {
  const { StoredFile } = core.database.models;
  const live = { [Op.and]: [{ state: 'live' as const }, where] };
  const file = await core.database.read(() => StoredFile.findOne({ where: live }));
  if (!file) throw notFound('File');
  const range = rangeOf?.(file);
  const object = await withoutSlot(() => core.storage.open(file.storageKey, range));
  if (object) {
    assertFullSize(core, file, object);
    return { file, object };
  }
  // The file may have been deleted or replaced since its row was read.
  const isStillLive = (await core.database.read(() => StoredFile.count({ where: { id: file.id, state: 'live' } }))) > 0;
  if (isStillLive) core.logger.error({ key: file.storageKey }, 'a file is missing in the storage');
  throw notFound('File');
}

/** Checks the size of a file, because a damaged disk may have truncated it. @throws AppError `STORAGE_UNAVAILABLE` */
function assertFullSize(
  { storage }: Core,
  { storageKey, bytes }: StoredFile,
  { stream, totalBytes }: StoredObject,
): void {
  if (totalBytes === Number(bytes)) return;
  stream.destroy();
  throw new AppError(
    'STORAGE_UNAVAILABLE',
    `The stored file ${storageKey} in ${storage.location} has ${totalBytes} bytes instead of ${bytes}: check the storage, and restore the file from a backup.`,
  );
}
