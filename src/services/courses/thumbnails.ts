import { recordAudit } from '../audit.js';
import type { Actor, Core } from '../core.js';
import { doomFiles, removeDoomed, storeFile, type Upload } from '../files/files.js';
import { asWebp, imageUrl, type Waiting } from '../files/images.js';
import { lockManagedCourse } from './commands.js';

/** What thumbnails are made to fit into, in pixels. */
const thumbnailSize = { width: 1280, height: 1280 };

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
