import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { lookup as contentTypeOf } from 'mime-types';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { StoredFile } from '../db/models/stored-file.js';
import { AppError, notFound } from '../errors.js';
import type { FileKind } from '../schemas/file.js';
import type { StoredObject } from '../storage/storage.js';
import type { Core } from './core.js';

/** A file that a client has sent: where it lies for now, and what its sender calls it. */
export interface Upload {
  path: string;
  name: string;
}

export type { StoredObject } from '../storage/storage.js';

/** The failure of a file with more bytes than it may have. */
export function fileTooLarge(maxBytes: number, cause?: unknown): AppError {
  return new AppError('BODY_TOO_LARGE', `The file has more than ${maxBytes} bytes.`, { cause });
}

/** Where uploads are that are on their way; nothing of it is served. */
export function uploadsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'uploads');
}

/** The name as it is kept: without folders, which some browsers send along, and in one line. */
export function keptName(name: string): string {
  const base = path.posix.basename(name.replaceAll('\\', '/')).replace(/[\p{Cc}\p{Cs}]/gu, '');
  return Array.from(base).slice(0, 255).join('') || 'upload';
}

/** Whose file it is. */
type Owner = { courseId: string } | { userId: string };

interface NewFile {
  kind: FileKind;
  owner: Owner;
  uploadedBy: string | null;
  upload: Upload;
}

/** What is stored of images has been written by this program. */
const imageType = 'image/webp';

/**
 * Stores a file and makes it its owner's. The row is there before the file, and ready for use only after it: so a crash
 * at any moment leaves a row that says what to remove.
 * @param attach makes it its owner's, in the transaction that puts it to use
 * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`, and what `attach` throws; then nothing is left of the file
 */
export async function storeFile(
  core: Core,
  { kind, owner, uploadedBy, upload }: NewFile,
  attach: (file: StoredFile, transaction: Transaction) => Promise<void>,
): Promise<StoredFile> {
  const { StoredFile } = core.database.models;
  const { size } = await stat(upload.path);
  const name = keptName(upload.name);
  const image = kind !== 'material';
  const row = {
    id: uuidv7(),
    kind,
    state: 'pending' as const,
    // The name of an image is all that it takes to see it: it can't be guessed.
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
    await core.storage.put(row.storageKey, upload.path);
    await core.database.inTransaction(async (transaction) => {
      await attach(file, transaction);
      const [live] = await StoredFile.update(
        { state: 'live' },
        { where: { id: row.id, state: 'pending' }, transaction },
      );
      if (live === 0) throw new AppError('BODY_INCOMPLETE', 'The upload took too long.');
    });
  } catch (error) {
    await discard(core, { id: row.id });
    throw error;
  }
  return file.set({ state: 'live' });
}

/** Removes an uploaded file that came to nothing. */
export async function dropUpload({ path: file }: Upload): Promise<void> {
  await rm(file, { force: true });
}

/** Marks files for removal, in the transaction that makes them useless. */
export async function doomFiles(core: Core, where: WhereOptions<StoredFile>, transaction: Transaction): Promise<void> {
  await core.database.models.StoredFile.update({ state: 'doomed' }, { where, transaction });
}

/** Marks and removes; what can't be done now is the sweep's. */
async function discard(core: Core, where: WhereOptions<StoredFile>): Promise<void> {
  try {
    await core.database.inTransaction((transaction) => doomFiles(core, where, transaction));
  } catch (error) {
    core.logger.warn({ err: error }, 'a file that came to nothing could not be marked: the sweep will find it');
    return;
  }
  await removeDoomed(core, where);
}

/** Rows that are handled at once. */
const sweepBatch = 500;

/**
 * Removes the files that are marked, and then their rows. A storage that fails keeps nobody from going on: the rows stay,
 * and the next sweep tries again.
 * @returns how many were removed
 */
export async function removeDoomed(core: Core, where: WhereOptions<StoredFile> = {}): Promise<number> {
  const { StoredFile } = core.database.models;
  let removed = 0;
  try {
    for (;;) {
      const files = await core.database.read(() =>
        StoredFile.findAll({ where: { [Op.and]: [{ state: 'doomed' }, where] }, order: ['id'], limit: sweepBatch }),
      );
      if (files.length === 0) return removed;
      await core.storage.remove(files.map(({ storageKey }) => storageKey));
      const ids = files.map(({ id }) => id);
      await core.database.inTransaction((transaction) => StoredFile.destroy({ where: { id: ids }, transaction }));
      removed += files.length;
    }
  } catch (error) {
    core.logger.warn({ err: error }, 'files that are not needed any more could not be removed: the sweep will');
    return removed;
  }
}

/** Opens a file that is in use. @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE` */
export async function openFile(
  core: Core,
  where: WhereOptions<StoredFile>,
): Promise<{ file: StoredFile; object: StoredObject }> {
  const file = await core.database.read(() =>
    core.database.models.StoredFile.findOne({ where: { [Op.and]: [{ state: 'live' }, where] } }),
  );
  if (!file) throw notFound('File');
  const object = await core.storage.open(file.storageKey);
  if (object) return { file, object };
  core.logger.error({ key: file.storageKey }, 'a file is missing in the storage');
  throw notFound('File');
}
