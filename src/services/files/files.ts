import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { lookup as contentTypeOf } from 'mime-types';
import { Op, type Transaction, type WhereOptions } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { StoredFile } from '../../db/models/stored-file.js';
import { AppError, notFound } from '../../errors.js';
import type { FileKind } from '../../schemas/file.js';
import { withoutInvisible } from '../../schemas/text.js';
import { diskFault } from '../../storage/disk-fault.js';
import type { ByteRange, StoredObject } from '../../storage/storage.js';
import type { Core } from '../core.js';

/** A file that a client has sent: where it lies for now, and what its sender calls it. */
export interface Upload {
  path: string;
  name: string;
}

export type { ByteRange, StoredObject } from '../../storage/storage.js';

/** How long a file may be that is about to come, and the failure of a longer one. */
export interface UploadLimit {
  maxBytes: number;
  tooLarge(cause?: unknown): AppError;
}

/** A file may have so many bytes. */
export const atMost = (maxBytes: number): UploadLimit => ({
  maxBytes,
  tooLarge: (cause) => new AppError('BODY_TOO_LARGE', `The file has more than ${maxBytes} bytes.`, { cause }),
});

/** Where uploads are that are on their way; nothing of it is served. */
export function uploadsFolder(core: Core): string {
  return path.join(core.config.dataDir, 'uploads');
}

/** What a failure of writing to the folder for uploads means; what isn't the disk's fault comes back as it is. */
export function uploadFault(folder: string, error: unknown): unknown {
  return diskFault(folder, error);
}

const longestName = 255;

/**
 * The name as it is kept: without folders, which some browsers send along, in one line, and without marks that make it look
 * like another ("exe.pdf" for "fdp.exe"). A long one keeps its end.
 */
export function keptName(name: string): string {
  const base = withoutInvisible(path.posix.basename(name.replaceAll('\\', '/')))
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  if (/^\.*$/.test(base)) return 'upload';
  const letters = Array.from(base);
  if (letters.length <= longestName) return base;
  // Its type is told by the end.
  const extension = Array.from(path.extname(base));
  const end = extension.length <= 20 ? extension : [];
  return [...letters.slice(0, longestName - end.length), ...end].join('');
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
export async function storeFile(core: Core, file: NewFile, attach: Attach): Promise<StoredFile> {
  try {
    return await putAndAttach(core, file, attach);
  } finally {
    // The storage has taken it, or nobody will.
    await dropUpload(file.upload);
  }
}

type Attach = (file: StoredFile, transaction: Transaction) => Promise<void>;

async function putAndAttach(
  core: Core,
  { kind, owner, uploadedBy, upload }: NewFile,
  attach: Attach,
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
    const putToUse = async (transaction: Transaction) => {
      await attach(file, transaction);
      const where = { id: row.id, state: 'pending' };
      const [live] = await StoredFile.update({ state: 'live' }, { where, transaction });
      if (live === 0) throw new AppError('BODY_INCOMPLETE', 'The upload took too long.');
    };
    await core.database.inTransaction(putToUse, {
      committed: async () => (await StoredFile.findByPk(row.id))?.state === 'live',
    });
  } catch (error) {
    await discard(core, row);
    throw error;
  }
  return file.set({ state: 'live' });
}

/** Removes an uploaded file that came to nothing. */
export async function dropUpload({ path: file }: Upload): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Marks files for removal, in the transaction that makes them useless. Only those that are in use: one on its way finds
 * out by itself that nobody wants it, and removed any earlier it would still arrive in the storage.
 */
export async function doomFiles(core: Core, whose: WhereOptions<StoredFile>, transaction: Transaction): Promise<void> {
  const where = { [Op.and]: [{ state: 'live' }, whose] };
  await core.database.models.StoredFile.update({ state: 'doomed' }, { where, transaction });
}

/** Removes a file that came to nothing; what can't be done now is the sweep's. */
async function discard(core: Core, { id, storageKey }: Pick<StoredFile, 'id' | 'storageKey'>): Promise<void> {
  const { StoredFile } = core.database.models;
  try {
    const row = await core.database.inTransaction(async (transaction) => {
      await StoredFile.update({ state: 'doomed' }, { where: { id, state: 'pending' }, transaction });
      return StoredFile.findByPk(id, { transaction });
    });
    // It was put to use: only the answer to the commit was lost.
    if (row?.state === 'live') return;
    // Also when a sweep has taken the row: that may have been before the file was there.
    await core.storage.remove([storageKey]);
    await core.database.inTransaction((transaction) => StoredFile.destroy({ where: { id }, transaction }));
  } catch (error) {
    core.logger.warn({ err: error }, 'a file that came to nothing could not be removed: the sweep will');
  }
}

/** Rows that are handled at once. */
const sweepBatch = 500;

/**
 * Removes the files that are marked, and then their rows. A storage that fails keeps nobody from going on: the rows stay,
 * and the next sweep tries again. Neither does a file that can't be removed keep those behind it.
 * @returns how many were removed
 */
export async function removeDoomed(
  core: Core,
  where: WhereOptions<StoredFile> = {},
  signal?: AbortSignal,
): Promise<number> {
  const { StoredFile } = core.database.models;
  let removed = 0;
  let after = '';
  try {
    do {
      const next = { [Op.and]: [{ state: 'doomed', id: { [Op.gt]: after } }, where] };
      const files = await core.database.read(() =>
        StoredFile.findAll({ where: next, order: ['id'], limit: sweepBatch }),
      );
      const last = files.at(-1);
      if (!last) return removed;
      after = last.id;
      removed += await removeBatch(core, files);
    } while (!signal?.aborted);
    return removed;
  } catch (error) {
    core.logger.warn({ err: error }, notRemoved);
    return removed;
  }
}

const notRemoved = 'files that are not needed any more could not be removed: the sweep will';

/** @returns how many were removed: all, or none where the storage says of one that it couldn't be */
async function removeBatch(core: Core, files: readonly StoredFile[]): Promise<number> {
  try {
    await core.storage.remove(files.map(({ storageKey }) => storageKey));
  } catch (error) {
    core.logger.warn({ err: error }, notRemoved);
    return 0;
  }
  const where = { id: files.map(({ id }) => id) };
  await core.database.inTransaction((transaction) => core.database.models.StoredFile.destroy({ where, transaction }));
  return files.length;
}

/** The content of a file, piece by piece. @throws AppError `STORAGE_UNAVAILABLE` when it breaks off */
export async function* contentOf({ stream }: StoredObject): AsyncGenerator<Buffer> {
  try {
    // A stream without an encoding gives buffers.
    for await (const piece of stream) yield piece as Buffer;
  } catch (error) {
    throw new AppError('STORAGE_UNAVAILABLE', 'A file in the storage could not be read to its end.', { cause: error });
  }
}

/**
 * Opens a file that is in use.
 * @param rangeOf says which piece of it is wanted; all of it by default
 * @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE`, and what `rangeOf` throws
 */
export async function openFile(
  core: Core,
  where: WhereOptions<StoredFile>,
  rangeOf: (file: StoredFile) => ByteRange | undefined = () => undefined,
): Promise<{ file: StoredFile; object: StoredObject }> {
  const { StoredFile } = core.database.models;
  const inUse = { [Op.and]: [{ state: 'live' as const }, where] };
  const file = await core.database.read(() => StoredFile.findOne({ where: inUse }));
  if (!file) throw notFound('File');
  const object = await core.storage.open(file.storageKey, rangeOf(file));
  if (object) return { file, object };
  // It may have been deleted, or replaced, since it was looked up.
  const isStillInUse =
    (await core.database.read(() => StoredFile.count({ where: { id: file.id, state: 'live' } }))) > 0;
  if (isStillInUse) core.logger.error({ key: file.storageKey }, 'a file is missing in the storage');
  throw notFound('File');
}
