import path from 'node:path';
import { addAbortSignal } from 'node:stream';
import { AppError } from '../../../errors.js';
import { presentMaterial } from '../../../presenters/material.js';
import { fileListingSchema } from '../../../schemas/file.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import {
  addMaterial,
  findMaterial,
  listMaterials,
  materialLimit,
  openMaterial,
  removeMaterial,
} from '../../../services/courses/materials.js';
import { findCourse } from '../../../services/courses/queries.js';
import { removeThumbnail, setThumbnail } from '../../../services/courses/thumbnails.js';
import { atMost, type StoredObject, type UploadLimit } from '../../../services/files/files.js';
import { copyToUploads } from '../../../services/files/staging.js';
import { resolveShortId } from '../../../services/short-ids.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { outputOption, yesOption } from '../../core/command/declaration.js';
import { courseIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { assertDestination, writeData } from '../../core/listing/file-output.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { counted } from '../../core/output/output.js';
import { fileColumns } from './columns.js';
import type { fileListOptions } from './options.js';
import { courseName } from './output.js';

async function courseOf(run: Run<'<course>'>, context: Context) {
  return findCourse(context, operator, await courseIdOf(context, run.arguments.course));
}

function sized(file: Parameters<typeof presentMaterial>[0]): string {
  const { name, bytes } = presentMaterial(file);
  return `${name} (${counted(bytes, 'byte')})`;
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'<course>', typeof fileListOptions>): void {
  checkListing(run, fileColumns, fileListingSchema);
}

/** Lists the files of a course. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function list(run: Run<'<course>', typeof fileListOptions>): Promise<Result> {
  return listing(run, { key: 'files', singular: 'file', columns: fileColumns }, async () => {
    const context = await run.context();
    const courseId = await courseIdOf(context, run.arguments.course);
    return async (page) => presented(await listMaterials(context, operator, courseId, page), presentMaterial);
  });
}

/** Copies the file on the command line to the folder of uploads, where services expect it. */
function uploadOf(run: Run<'<file>'>, context: Context, limit: UploadLimit) {
  const given = run.arguments.file;
  return copyToUploads(context, { file: path.resolve(run.io.cwd, given), given, limit, signal: run.io.signal });
}

/** Adds a copy of a file to a course. @throws the errors of {@link copyToUploads} and {@link addMaterial} */
export async function add(run: Run<'<course> <file>'>): Promise<Result> {
  const context = await run.context();
  const course = await courseOf(run, context);
  const upload = await uploadOf(run, context, await materialLimit(context, operator, course.id));
  const file = await addMaterial(context, operator, course.id, upload);
  return {
    json: { file: presentMaterial(file) },
    text: `Added ${sized(file)} to ${courseName(course)}.\nIts id: ${file.id}`,
  };
}

/** Sets the image of a course. @throws the errors of {@link copyToUploads} and {@link setThumbnail} */
export async function thumbnail(run: Run<'<course> <file>'>): Promise<Result> {
  const context = await run.context();
  const course = await courseOf(run, context);
  const upload = await uploadOf(run, context, atMost(context.config.files.imageBytes));
  const imageUrl = await setThumbnail(context, operator, course.id, upload, { signal: run.io.signal });
  return { json: { imageUrl }, text: `${courseName(course)} has a new image: ${imageUrl}` };
}

/** Removes the image of a course after a confirmation. @throws AppError `USAGE`, `NOT_FOUND`, `DECLINED`, `INTERRUPTED` */
export async function removeImage(run: Run<'<course>', typeof yesOption>): Promise<Result> {
  const context = await run.context();
  const course = await courseOf(run, context);
  assertCanAsk(run, 'remove');
  if (course.thumbnail === null) return { json: { removed: false }, text: `${courseName(course)} has no image.` };
  if (!run.options.yes)
    await confirm(run, {
      about: `the image of ${courseName(course)}`,
      question: 'Remove this image?',
      otherwise: 'Nothing was removed.',
    });
  await removeThumbnail(context, operator, course.id);
  return { json: { removed: true }, text: `Removed the image of ${courseName(course)}.` };
}

/** Refuses a terminal, because an uploaded file may contain control sequences. @throws AppError `USAGE` */
function assertNoTerminal({ io, options }: Run<'', typeof outputOption>): void {
  if (options.output === undefined && io.stdout.isTTY)
    throw new AppError('USAGE', 'A file is not written to a terminal: add --output <file>, or redirect it with >.');
}

/** Yields the bytes of a stored file. @throws AppError `STORAGE_UNAVAILABLE`, `INTERRUPTED` */
async function* downloaded({ stream }: StoredObject, { storage }: Context, signal: AbortSignal) {
  addAbortSignal(signal, stream);
  try {
    // The stream has no encoding, so it yields bytes.
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    const message = `The file storage ${storage.location} failed in the middle of the file. Try again.`;
    throw new AppError('STORAGE_UNAVAILABLE', message, { cause: error });
  }
}

/** @throws AppError `USAGE` */
export function checkGet(run: Run<'<course> <file-id>', typeof outputOption>): void {
  assertDestination(run, run.options.output, 'The file');
  assertNoTerminal(run);
}

/**
 * Writes a file of a course to `--output`, or to standard output.
 * @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE`, `FILE_UNUSABLE`
 */
export async function get(run: Run<'<course> <file-id>', typeof outputOption>): Promise<Result> {
  const context = await run.context();
  const courseId = await courseIdOf(context, run.arguments.course);
  const fileId = await resolveShortId(context, 'File', run.arguments.fileId, { courseId });
  const { file, object } = await openMaterial(context, operator, courseId, fileId);
  try {
    await writeData(run.io, run.options.output, downloaded(object, context, run.io.signal));
  } finally {
    // The output may have failed before any byte was read.
    object.stream.destroy();
  }
  const { output } = run.options;
  return output === undefined
    ? {}
    : { json: { file: presentMaterial(file), output }, text: `${sized(file)} written to ${output}.` };
}

/** Removes a file of a course after a confirmation. @throws AppError `USAGE`, `NOT_FOUND`, `DECLINED`, `INTERRUPTED` */
export async function remove(run: Run<'<course> <file-id>', typeof yesOption>): Promise<Result> {
  const context = await run.context();
  const course = await courseOf(run, context);
  const fileId = await resolveShortId(context, 'File', run.arguments.fileId, { courseId: course.id });
  const file = await findMaterial(context, operator, course.id, fileId);
  assertCanAsk(run, 'remove');
  if (!run.options.yes)
    await confirm(run, {
      about: `${sized(file)} of ${courseName(course)}`,
      question: 'Remove this file?',
      otherwise: 'Nothing was removed.',
    });
  await removeMaterial(context, operator, course.id, file.id);
  return { json: { file: presentMaterial(file) }, text: `Removed ${sized(file)} from ${courseName(course)}.` };
}
