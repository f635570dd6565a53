import { lockCaller } from '../auth/sessions.js';
import { actorOf, type Caller, type Core } from '../core.js';
import { removeMarkedFiles, storeFile, type Upload } from '../files/files.js';
import { convertToWebp, imageUrl, type WaitOptions } from '../files/images.js';
import { saveUser } from './change-user.js';

/** The largest size of an avatar, in pixels. */
const avatarSize = { width: 512, height: 512 };

/**
 * Sets the caller's image, replacing the previous one.
 * @returns the URL path of the image
 * @throws AppError `VALIDATION` if the upload isn't an image, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`, `TOKEN_INVALID`
 */
export async function setAvatar(core: Core, caller: Caller, upload: Upload, waiting: WaitOptions): Promise<string> {
  const userId = caller.user.id;
  const image = await convertToWebp(core, upload, avatarSize, userId, waiting);
  const file = await storeFile(
    core,
    { kind: 'avatar', owner: { userId }, uploadedBy: userId, upload: image, withoutSlot: waiting.withoutSlot },
    async (stored, transaction) => {
      const current = await lockCaller(core, caller, transaction);
      current.avatar = imageUrl(stored);
      await saveUser(core, current, { action: 'own.avatar', actor: actorOf(caller) }, transaction);
    },
  );
  await removeMarkedFiles(core, { userId });
  return imageUrl(file);
}

/** Removes the caller's image, if any. @throws AppError `TOKEN_INVALID` */
export async function removeAvatar(core: Core, caller: Caller): Promise<void> {
  const userId = caller.user.id;
  await core.database.inTransaction(async (transaction) => {
    const current = await lockCaller(core, caller, transaction);
    current.avatar = null;
    await saveUser(core, current, { action: 'own.avatar', actor: actorOf(caller) }, transaction);
  });
  await removeMarkedFiles(core, { userId });
}
