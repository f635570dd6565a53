import path from 'node:path';
import { col, fn, Op, type Transaction, type WhereOptions } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { StoredFile } from '../../db/models/stored-file.js';
import { courseExists, enrollmentExists } from '../../db/sql/conditions.js';
import { AppError, notFound, validationError } from '../../errors.js';
import { participantStatuses } from '../../schemas/enrollment-statuses.js';
import { fileListingSchema } from '../../schemas/file.js';
import { validate } from '../../schemas/validate.js';
import type { StoredObject } from '../../storage/storage.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { sanitizeFilename } from '../files/filename.js';
import {
  atMost,
  markForDeletion,
  type OpenOptions,
  openFile,
  removeMarkedFiles,
  removeUpload,
  storeFile,
  type Upload,
  type UploadLimit,
  type WithoutSlot,
} from '../files/files.js';
import { forceIncrementCourseVersions } from '../locks/row-locks.js';
import { type Page, readPage } from '../paging.js';
import { assertManages, lockManagedCourse } from './commands.js';
import { isActiveTrainee } from './queries.js';

async function courseOf(core: Core, id: string): Promise<Course> {
  const course = await core.database.read(() => core.database.models.Course.findByPk(id));
  if (!course) throw notFound('Course');
  return course;
}

/**
 * Checks, before a file is sent, that the actor may add files to the course.
 * @throws AppError `NOT_FOUND`, `OTHER_TRAINER`
 */
export async function assertMayUpload(core: Core, actor: Actor, courseId: string): Promise<void> {
  assertManages(actor, await courseOf(core, courseId));
}

/**
 * Checks that the actor manages the course or takes part in it.
 * @throws AppError `NOT_FOUND`, `OTHER_TRAINER`, `ENROLLMENT_REQUIRED`
 */
async function assertMayRead(core: Core, actor: Actor, courseId: string): Promise<void> {
  // For trainees, the course is read only to choose the error.
  const trainee = actor.role === 'trainee';
  if (trainee && (await isActiveTrainee(core, actor.actorId, courseId))) return;
  const course = await courseOf(core, courseId);
  if (!trainee) return assertManages(actor, course);
  throw course.isPublished ? new AppError('ENROLLMENT_REQUIRED') : notFound('Course');
}

/** Returns {@link assertMayRead} as a condition, which saves a query for listings. */
function readableBy({ database: { sequelize } }: Core, { actorId, role }: Actor, courseId: string): WhereOptions {
  if (role === 'super_admin') return {};
  return role === 'trainer'
    ? courseExists(sequelize, courseId, actorId)
    : enrollmentExists(sequelize, { courseId, userId: actorId }, participantStatuses);
}

function assertTypeAllowed(core: Core, name: string): void {
  const allowed = core.config.files.materialTypes;
  const extension = path.extname(name).slice(1).toLowerCase();
  if (allowed.length > 0 && !allowed.includes(extension))
    throw validationError([
      {
        path: 'file',
        code: 'FILE_TYPE_REFUSED',
        params: { values: allowed },
        message: `The file must be of one of these types: ${allowed.join(', ')}.`,
      },
    ]);
}

interface Usage {
  bytes: number;
  files: number;
}

async function usageOf(core: Core, courseId: string, transaction?: Transaction): Promise<Usage> {
  const found = await core.database.models.StoredFile.findOne({
    attributes: [
      [fn('SUM', col('bytes')), 'bytes'],
      [fn('COUNT', col('id')), 'files'],
    ],
    where: { courseId, kind: 'material', state: 'live' },
    raw: true,
    transaction: transaction ?? null,
  });
  // Sequelize's types don't cover aliases of aggregates; the sum of no rows is null.
  const { bytes, files } = (found ?? {}) as { bytes?: unknown; files?: unknown };
  return { bytes: Number(bytes ?? 0), files: Number(files ?? 0) };
}

/**
 * Checks the number of files, which is limited because empty files also cost a row and an object.
 * @throws AppError `COURSE_QUOTA`
 */
function assertFileCount({ config }: Core, { files }: Usage): void {
  const { courseFiles } = config.files;
  if (files < courseFiles) return;
  const message = `The course may have ${courseFiles} files, and has ${files}. Delete some first.`;
  throw new AppError('COURSE_QUOTA', message, { params: { max: courseFiles } });
}

function overQuota({ config }: Core, used: number, cause?: unknown): AppError {
  const { courseQuotaBytes } = config.files;
  const message = `The course's files may have ${courseQuotaBytes} bytes altogether, and have ${used}. Delete some first.`;
  return new AppError('COURSE_QUOTA', message, { params: { maxBytes: courseQuotaBytes }, cause });
}

/**
 * Checks the quota with a lock of the course, so that concurrent uploads are counted one after the other.
 * @throws AppError `COURSE_QUOTA`
 */
async function assertQuota(core: Core, courseId: string, file: StoredFile, transaction: Transaction): Promise<void> {
  await forceIncrementCourseVersions(core, [courseId], transaction);
  const used = await usageOf(core, courseId, transaction);
  assertFileCount(core, used);
  if (used.bytes + Number(file.bytes) > core.config.files.courseQuotaBytes) throw overQuota(core, used.bytes);
}

/**
 * Returns the maximum size of the next file of a course, before the file is sent. The quota is checked again when the file
 * is stored, because concurrent uploads use it too.
 * @throws AppError `NOT_FOUND`, `OTHER_TRAINER`, `COURSE_QUOTA` if the course has too many files
 */
export async function materialLimit(core: Core, actor: Actor, courseId: string): Promise<UploadLimit> {
  await assertMayUpload(core, actor, courseId);
  const { courseQuotaBytes, materialBytes } = core.config.files;
  const used = await core.database.read(() => usageOf(core, courseId));
  assertFileCount(core, used);
  const left = Math.max(courseQuotaBytes - used.bytes, 0);
  return left < materialBytes
    ? { maxBytes: left, tooLarge: (cause) => overQuota(core, used.bytes, cause) }
    : atMost(materialBytes);
}

/**
 * Adds a file to a course.
 * @param withoutSlot runs the wait for the storage
 * @throws AppError `VALIDATION` for its type, `NOT_FOUND`, `OTHER_TRAINER`, `COURSE_QUOTA`, `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`
 */
export async function addMaterial(
  core: Core,
  actor: Actor,
  courseId: string,
  upload: Upload,
  withoutSlot?: WithoutSlot,
): Promise<StoredFile> {
  try {
    assertTypeAllowed(core, sanitizeFilename(upload.name));
  } catch (error) {
    await removeUpload(upload);
    throw error;
  }
  return storeFile(
    core,
    { kind: 'material', owner: { courseId }, uploadedBy: actor.actorId, upload, withoutSlot },
    async (file, transaction) => {
      await lockManagedCourse(core, actor, courseId, transaction);
      await assertQuota(core, courseId, file, transaction);
      await recordAudit(
        core,
        actor,
        { action: 'course.add-file', targetType: 'course', targetId: courseId, after: auditedFile(file) },
        transaction,
      );
    },
  );
}

const auditedFile = ({ id, name, contentType, bytes }: StoredFile) => ({ id, name, contentType, bytes: Number(bytes) });

/** Returns one page of a course's files, newest first. @throws AppError `VALIDATION`, `NOT_FOUND`, `OTHER_TRAINER`, `ENROLLMENT_REQUIRED` */
export async function listMaterials(
  core: Core,
  actor: Actor,
  courseId: string,
  query: unknown,
): Promise<Page<StoredFile>> {
  const listing = validate(fileListingSchema, query);
  return readPage(core, core.database.models.StoredFile, listing, {
    where: { courseId, kind: 'material', state: 'live', [Op.and]: readableBy(core, actor, courseId) },
    order: [['id', 'DESC']],
    ifNone: () => assertMayRead(core, actor, courseId),
  });
}

/** Finds the row of a course's file. @throws AppError `NOT_FOUND`, `OTHER_TRAINER`, `ENROLLMENT_REQUIRED` */
export async function findMaterial(core: Core, actor: Actor, courseId: string, id: string): Promise<StoredFile> {
  await assertMayRead(core, actor, courseId);
  const where = { id, courseId, kind: 'material' as const, state: 'live' as const };
  const file = await core.database.read(() => core.database.models.StoredFile.findOne({ where }));
  if (!file) throw notFound('File');
  return file;
}

/** Opens a file of a course. @throws AppError `OTHER_TRAINER`, `ENROLLMENT_REQUIRED`, and the errors of {@link openFile} */
export async function openMaterial(
  core: Core,
  actor: Actor,
  courseId: string,
  id: string,
  options?: OpenOptions,
): Promise<{ file: StoredFile; object: StoredObject }> {
  await assertMayRead(core, actor, courseId);
  return openFile(core, { id, courseId, kind: 'material' }, options);
}

/** Deletes a file of a course. @throws AppError `NOT_FOUND`, `OTHER_TRAINER` */
export async function removeMaterial(core: Core, actor: Actor, courseId: string, id: string): Promise<void> {
  const { StoredFile } = core.database.models;
  await core.database.inTransaction(async (transaction) => {
    await lockManagedCourse(core, actor, courseId, transaction);
    const where = { id, courseId, kind: 'material' as const, state: 'live' as const };
    const file = await StoredFile.findOne({ where, transaction });
    if (!file) throw notFound('File');
    await markForDeletion(core, { id }, transaction);
    await recordAudit(
      core,
      actor,
      { action: 'course.remove-file', targetType: 'course', targetId: courseId, before: auditedFile(file) },
      transaction,
    );
  });
  await removeMarkedFiles(core, { id });
}
