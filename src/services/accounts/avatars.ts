import { lockCaller } from '../auth/sessions.js';
import type { Caller, Core } from '../core.js';
import { doomFiles, removeDoomed, storeFile, type Upload } from '../files/files.js';
import { asWebp, imageUrl, type Waiting } from '../files/images.js';

/** What avatars are made to fit into, in pixels. */
const avatarSize = { width: 512, height: 512 };

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
