import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Import } from '../../../db/models/import.js';
import { isAppError, validationError } from '../../../errors.js';
import { problemCodes } from '../../../field-problem.js';
import { type ImportOptions, importFormSchema } from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import { makeFolder, moveFile, syncToDisk } from '../../../storage/disk.js';
import { computeSha256, FileProblem } from '../../../tables/encoding/source-file.js';
import type { Actor, Core } from '../../core.js';
import { sanitizeFilename } from '../../files/filename.js';
import { type Upload, uploadFault } from '../../files/files.js';
import { withRosterOptions } from '../../groups/rosters.js';
import { withPossibleAccess } from '../plan/access.js';
import { findOptionCourses } from '../plan/course-index.js';
import { fileHasRows, inspectFile } from '../read/thread/read-file.js';
import { assertBelowPlanLimit, assertBelowPlanLimitUnlocked, requestPlan } from '../store/plan-store.js';
import { createImport } from '../store/repository.js';
import { importsFolder, unfinishedUploadName, uploadName } from '../store/spool.js';
import { optionsForTrainer } from './trainer-options.js';

/**
 * Moves an upload to the folder of its import, which may be on another file system. The file and its folders are synced,
 * because an accepted import must survive a crash.
 * @returns the new path of the file
 */
async function spoolUpload(upload: Upload, folder: string): Promise<string> {
  await makeFolder(folder);
  const filePath = path.join(folder, uploadName);
  await moveFile(upload.path, filePath, () => Promise.resolve(path.join(folder, unfinishedUploadName)));
  for (const changed of [folder, path.dirname(folder)]) await syncToDisk(changed);
  return filePath;
}

/**
 * Runs work after the work that was queued before. The signal stops the work.
 * @throws AppError `OVERLOADED`; the reason of the signal
 */
export type RunInQueue = (work: (signal?: AbortSignal) => Promise<void>) => Promise<void>;

/**
 * Returns the SHA-256 of an upload, after checking its type and first rows.
 * @throws AppError `VALIDATION` for a file that can't be imported with any options, such as a picture
 */
async function inspectUpload(
  core: Core,
  { path: file, name }: Upload,
  options: ImportOptions,
  runInQueue: RunInQueue,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { delimiter = 'auto' } = options;
  try {
    const { sha256, ...inspected } = await inspectFile(file, options.encoding, signal);
    const request = { file, source: { ...inspected, delimiter }, options, limits: core.config.imports } as const;
    const assertRows = async (queueSignal = signal) => {
      if (!(await fileHasRows(request, queueSignal)))
        throw new FileProblem('NO_ROWS', `The file ${sanitizeFilename(name)} has a header and no rows below it.`);
    };
    await (inspected.isWorkbook ? runInQueue(assertRows) : assertRows());
    return sha256;
  } catch (error) {
    // Faults that no options can fix are reported as problems of the field.
    const fatal = error instanceof FileProblem ? problemCodes.find((code) => code === error.reason) : undefined;
    if (error instanceof FileProblem && fatal)
      throw validationError([{ path: 'file', code: fatal, message: error.message }]);
    if (!isAppError(error, 'IMPORT_FILE_INVALID')) throw error;
    // The plan or the run reports the fault.
    return computeSha256(file);
  }
}

/**
 * Queues an uploaded file for import, or with `plan` for planning. Moves the file to the spool, or removes it after a
 * failure.
 * @param options raw options of the import
 * @param runInQueue opens workbooks one after the other, because even a small workbook may need much memory
 * @param signal aborts if the client disconnects: then reading the file stops
 * @throws AppError `OVERLOADED`, `PLAN_LIMIT`, `VALIDATION` for the options, an unknown course and a file that can't be
 *   imported with any options, `MAIL_NOT_SET_UP` for mails, `PASSWORD_LOGIN_OFF` for generated passwords, `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export async function submitImport(
  core: Core,
  actor: Actor,
  upload: Upload,
  options: object,
  runInQueue: RunInQueue = (work) => work(),
  signal?: AbortSignal,
): Promise<Import> {
  const id = uuidv7();
  const folder = path.join(importsFolder(core), id);
  try {
    const isTrainer = actor.role === 'trainer';
    // Only the super admin reads the options of a roster.
    const { plan, ...sent } = validate(importFormSchema, isTrainer ? options : await withRosterOptions(core, options));
    const asked = isTrainer ? await optionsForTrainer(core, actor.actorId, options, sent) : sent;
    const valid = withPossibleAccess(core, asked);
    await findOptionCourses(core, valid);
    if ((await stat(upload.path)).size === 0)
      throw validationError([{ path: 'file', code: 'FILE_EMPTY', message: 'The file is empty.' }]);
    if (plan) await core.database.read(() => assertBelowPlanLimitUnlocked(core, actor.actorId));
    const fileSha256 = await inspectUpload(core, upload, valid, runInQueue, signal);
    const filePath = await spoolUpload(upload, folder);
    const file = { fileName: sanitizeFilename(upload.name), filePath, fileSha256 };
    const status = plan ? 'planning' : 'queued';
    return await createImport(
      core,
      actor,
      { id, status, options: valid, rowsTotal: null, ...file },
      async (record, transaction) => {
        if (!plan) return;
        // The import itself is already recorded and doesn't count.
        await assertBelowPlanLimit(core, record.createdBy, transaction, record.id);
        await requestPlan(core, record, transaction);
      },
    );
  } catch (error) {
    await rm(upload.path, { force: true });
    // If the connection broke during the commit, the import may be queued and need its file. Otherwise, the orphan cleanup
    // removes the folder. The folder may not exist yet.
    if (!isAppError(error, 'DATABASE_UNREACHABLE'))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw uploadFault(importsFolder(core), error);
  }
}
