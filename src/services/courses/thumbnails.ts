import type { Course } from '../../db/models/course.js';
import { recordAudit } from '../audit/audit.js';
import { type Actor, type Core, queueOwnerOf } from '../core.js';
import { markForDeletion, removeMarkedFiles, storeFile, type Upload } from '../files/files.js';
import { convertToWebp, imageUrl, type WaitOptions } from '../files/images.js';
import { lockManagedCourse } from './commands.js';

/** Maximum size of a thumbnail, in pixels. */
const thumbnailSize = { width: 1280, height: 1280 };

const thumbnailRecord = (courseId: string, before: { thumbnail: string | null }, { thumbnail }: Course) =>
  ({ action: 'course.thumbnail', targetType: 'course', targetId: courseId, before, after: { thumbnail } }) as const;

/**
 * Sets the image of a course; replaces the previous one.
 * @returns the URL path of the image
 * @throws AppError `VALIDATION` if the file isn't an image, `NOT_FOUND`, `OTHER_TRAINER`, `OVERLOADED`, `INTERRUPTED`,
 *   `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export async function setThumbnail(
  core: Core,
  actor: Actor,
  courseId: string,
  upload: Upload,
  waiting: WaitOptions,
): Promise<string> {
  const image = await convertToWebp(core, upload, thumbnailSize, queueOwnerOf(actor), waiting);
  const file = await storeFile(
    core,
    {
      kind: 'thumbnail',
      owner: { courseId },
      uploadedBy: actor.actorId,
      upload: image,
      withoutSlot: waiting.withoutSlot,
    },
    async (stored, transaction) => {
      const course = await lockManagedCourse(core, actor, courseId, transaction);
      await markForDeletion(core, { courseId, kind: 'thumbnail' }, transaction);
      const before = { thumbnail: course.thumbnail };
      await course.update({ thumbnail: imageUrl(stored) }, { transaction });
      await recordAudit(core, actor, thumbnailRecord(courseId, before, course), transaction);
    },
  );
  await removeMarkedFiles(core, { courseId });
  return imageUrl(file);
}

/** Removes the image of a course, if any. @throws AppError `NOT_FOUND`, `OTHER_TRAINER` */
export async function removeThumbnail(core: Core, actor: Actor, courseId: string): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    const course = await lockManagedCourse(core, actor, courseId, transaction);
    if (course.thumbnail === null) return;
    const before = { thumbnail: course.thumbnail };
    await markForDeletion(core, { courseId, kind: 'thumbnail' }, transaction);
    await course.update({ thumbnail: null }, { transaction });
    await recordAudit(core, actor, thumbnailRecord(courseId, before, course), transaction);
  });
  await removeMarkedFiles(core, { courseId });
}
