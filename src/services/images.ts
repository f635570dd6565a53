import path from 'node:path';
import type { StoredFile } from '../db/models/stored-file.js';
import { notFound } from '../errors.js';
import type { StoredObject } from '../storage/storage.js';
import { recordAudit } from './audit.js';
import type { Actor, Caller, Core } from './core.js';
import { lockManagedCourse } from './courses.js';
import { doomFiles, dropUpload, openFile, removeDoomed, storeFile, type Upload } from './files.js';
import { lockCaller } from './sessions.js';

/** What pictures are made to fit into, in pixels. */
const thumbnailSize = { width: 1280, height: 1280 };
const avatarSize = { width: 512, height: 512 };

const imagePrefix = '/api/images/';

/** Where a stored image can be seen, by everybody who has been told. */
const imageUrl = ({ storageKey }: StoredFile) => imagePrefix + path.posix.basename(storageKey);

/** How a picture is waited for. */
export interface Waiting {
  /** Aborted when nobody waits any more: then the work on the picture stops. */
  signal: AbortSignal;
  /** Does what has a queue of its own: others mustn't be kept waiting meanwhile. */
  waitAside?<T>(wait: () => Promise<T>): Promise<T>;
}

/** The picture in place of what was uploaded; the upload is gone. */
async function asWebp(
  core: Core,
  upload: Upload,
  size: { width: number; height: number },
  account: string,
  { signal, waitAside = (wait) => wait() }: Waiting,
): Promise<Upload> {
  const target = `${upload.path}.webp`;
  const limits = { maxPixels: core.config.files.imagePixels, ...size };
  try {
    await waitAside(() => core.images.prepare(upload.path, target, limits, { account, signal }));
  } finally {
    await dropUpload(upload);
  }
  return { path: target, name: upload.name };
}

/**
 * Gives a course its picture, in the place of the one it had.
 * @returns where it can be seen
 * @throws AppError `VALIDATION` for what isn't a picture, `NOT_FOUND`, `ACCESS_DENIED`, `OVERLOADED`, `INTERRUPTED`,
 *   `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export async function setThumbnail(
  core: Core,
  actor: Actor,
  courseId: string,
  upload: Upload,
  waiting: Waiting,
): Promise<string> {
  // Without an account it is the operator at the terminal.
  const picture = await asWebp(core, upload, thumbnailSize, actor.actorId ?? '', waiting);
  const file = await storeFile(
    core,
    { kind: 'thumbnail', owner: { courseId }, uploadedBy: actor.actorId, upload: picture },
    async (stored, transaction) => {
      const course = await lockManagedCourse(core, actor, courseId, transaction);
      await doomFiles(core, { courseId, kind: 'thumbnail' }, transaction);
      const before = { thumbnail: course.thumbnail };
      await course.update({ thumbnail: imageUrl(stored) }, { transaction });
      const record = { before, after: { thumbnail: course.thumbnail } };
      await recordAudit(
        core,
        actor,
        { action: 'course.thumbnail', targetType: 'course', targetId: courseId, ...record },
        transaction,
      );
    },
  );
  await removeDoomed(core, { courseId });
  return imageUrl(file);
}

/**
 * Gives the caller a picture, in the place of the one they had; without an upload they have none.
 * @returns where it can be seen
 * @throws AppError `VALIDATION` for what isn't a picture, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`,
 *   `TOKEN_INVALID`
 */
export async function setAvatar(core: Core, caller: Caller, upload: Upload, waiting: Waiting): Promise<string> {
  const userId = caller.user.id;
  const picture = await asWebp(core, upload, avatarSize, userId, waiting);
  const file = await storeFile(
    core,
    { kind: 'avatar', owner: { userId }, uploadedBy: userId, upload: picture },
    async (stored, transaction) => {
      const current = await lockCaller(core, caller, transaction);
      await doomFiles(core, { userId }, transaction);
      await current.update({ avatar: imageUrl(stored) }, { transaction });
    },
  );
  await removeDoomed(core, { userId });
  return imageUrl(file);
}

/** Takes the caller's picture away, if there is one. @throws AppError `TOKEN_INVALID` */
export async function removeAvatar(core: Core, caller: Caller): Promise<void> {
  const userId = caller.user.id;
  await core.database.inTransaction(async (transaction) => {
    const current = await lockCaller(core, caller, transaction);
    await current.update({ avatar: null }, { transaction });
    await doomFiles(core, { userId }, transaction);
  });
  await removeDoomed(core, { userId });
}

/** Opens a picture by the name in its address. @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE` */
export async function openImage(core: Core, name: string): Promise<StoredObject> {
  // Keys are stored as ASCII, and MariaDB compares that with no other text.
  if (!/^[\w.-]+$/.test(name)) throw notFound('File');
  return (await openFile(core, { storageKey: `image/${name}` })).object;
}
