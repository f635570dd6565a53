import path from 'node:path';
import type { Request, Response } from 'express';
import multer from 'multer';
import { AppError, systemErrorCode, validationError } from '../../errors.js';
import { maxMappings } from '../../schemas/import.js';
import { makeUploadFolder, type UploadLimit, uploadFault } from '../../services/files/files.js';
import { runMiddleware } from './json-body.js';
import { uploadFolder } from './upload-folder.js';

export interface UploadedFile {
  /** Path of the temporary file. The handler must move or remove the file. */
  path: string;
  /** File name from the client. */
  name: string;
}

export interface ReceivedUpload {
  file: UploadedFile;
  fields: object;
}

export interface UploadSettings {
  /** Form field of the file. */
  field: string;
  /** Folder for temporary files; created if missing. */
  folder: string;
  limit: UploadLimit;
}

/** Maximum fields of a form: the options of an import, and a mapping for each column. */
const maxFields = maxMappings + 60;
const formLimits = {
  files: 1,
  fields: maxFields,
  parts: maxFields + 1,
  fieldNameSize: 100,
  fieldSize: 10_000,
  fieldNestingDepth: 1,
  // Otherwise "map[4000000000]" would create a list of that length.
  fieldArrayIndexLimit: maxMappings,
};

/** Maximum bytes of a form besides its file. */
const formOverheadBytes = 1024 * 1024;

/** Messages of busboy and multer about incomplete or invalid forms, and disconnected clients. These errors have no codes. */
const brokenForm =
  /^(Unexpected end of (form|file)|Malformed |Multipart: |Unsupported content type|Request (aborted|closed|error))/;

function isBroken(error: unknown): boolean {
  const code = systemErrorCode(error);
  if (code === undefined) return error instanceof Error && brokenForm.test(error.message);
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'STREAM_DESTROYED'].includes(code);
}

function toKnownError(error: unknown, { field, folder, limit }: UploadSettings): unknown {
  if (isBroken(error)) return new AppError('BODY_INCOMPLETE', undefined, { cause: error });
  if (error instanceof multer.MulterError) {
    if (error.code === 'LIMIT_FILE_SIZE') return limit.tooLarge(error);
    const isAboutFiles = error.code === 'LIMIT_UNEXPECTED_FILE' || error.code === 'LIMIT_FILE_COUNT';
    return validationError([
      isAboutFiles
        ? { path: field, code: 'TOO_MANY', params: { max: 1 }, message: `Send one file, in the field "${field}".` }
        : { path: field, code: 'INVALID', message: 'The form has too many or too long fields.' },
    ]);
  }
  return uploadFault(folder, error);
}

/**
 * Reads a multipart form with one file. Writes the file into the folder under a random name, readable only for this user.
 * Removes the file if the form fails.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`, `VALIDATION`, the error of the limit, `BODY_INCOMPLETE`, `DISK_FULL`,
 *   `STORAGE_UNAVAILABLE`
 */
export async function readUpload(
  request: Request,
  response: Response,
  settings: UploadSettings,
): Promise<ReceivedUpload> {
  const { field, folder, limit } = settings;
  if (!request.is('multipart/form-data'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be multipart/form-data.');
  // Refuses a Content-Length beyond the limit before reading.
  if (Number(request.headers['content-length'] ?? 0) > limit.maxBytes + formOverheadBytes) throw limit.tooLarge();
  const { engine, clear } = uploadFolder(folder);
  const receive = multer({
    storage: engine,
    limits: { ...formLimits, fileSize: limit.maxBytes },
    defParamCharset: 'utf8',
  });
  try {
    await makeUploadFolder(folder);
    // Multer would wait forever for events of a request whose client has already left.
    if (request.destroyed) throw new AppError('BODY_INCOMPLETE');
    await runMiddleware(receive.single(field), request, response);
  } catch (error) {
    await clear();
    throw toKnownError(error, settings);
  }
  if (!request.file) throw validationError([{ path: field, code: 'REQUIRED', message: 'A file is required.' }]);
  const file = { path: path.resolve(request.file.path), name: request.file.originalname };
  // Multer's object of fields has no prototype; the copy has one.
  return { file, fields: { ...(request.body as object) } };
}
