import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import multer from 'multer';
import { AppError, systemErrorCode, validationError } from '../errors.js';
import { fileTooLarge } from '../services/files.js';

/** What a multipart form brought. */
export interface UploadedFile {
  /** Where it lies: the handler moves it away or removes it. */
  path: string;
  /** What its sender calls it. */
  name: string;
}

export interface UploadSettings {
  /** The field of the form that the file is in. */
  field: string;
  /** Folder for files that are on their way; made when it isn't there. */
  folder: string;
  maxBytes: number;
}

/** The form may say no more than an import takes. */
const limits = { files: 1, fields: 60, parts: 61, fieldNameSize: 100, fieldSize: 10_000, headerPairs: 20 };

/** What surrounds a file in a form takes no more than this, in bytes. */
const formBytes = 1024 * 1024;

function fault(error: unknown, { field, maxBytes }: UploadSettings): unknown {
  if (error instanceof multer.MulterError) {
    if (error.code === 'LIMIT_FILE_SIZE') return fileTooLarge(maxBytes, error);
    const message =
      error.code === 'LIMIT_UNEXPECTED_FILE' || error.code === 'LIMIT_FILE_COUNT'
        ? `Send one file, in the field "${field}".`
        : 'The form has too many or too long fields.';
    return validationError([{ path: field, message }]);
  }
  const code = systemErrorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', undefined, { cause: error });
  // What is left of busboy's own errors: forms that break off or aren't forms.
  if (error instanceof Error && /form|boundary|multipart|header|aborted/i.test(error.message))
    return new AppError('BODY_INCOMPLETE', undefined, { cause: error });
  return error;
}

const run = (middleware: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    middleware(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });

/**
 * Reads a multipart form with one file. The file is written to the folder under a random name, for
 * this user alone; what was written of a form that fails is removed.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`, `VALIDATION`, `BODY_TOO_LARGE`, `BODY_INCOMPLETE`, `DISK_FULL`
 */
export async function readUpload(
  request: Request,
  response: Response,
  settings: UploadSettings,
): Promise<{ file: UploadedFile; fields: object }> {
  const { field, folder, maxBytes } = settings;
  if (!request.is('multipart/form-data'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be multipart/form-data.');
  // What says that it is far too long need not be read to be believed.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + formBytes) throw fileTooLarge(maxBytes);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const receive = multer({ dest: folder, limits: { ...limits, fileSize: maxBytes }, defParamCharset: 'utf8' });
  try {
    await run(receive.single(field), request, response);
  } catch (error) {
    throw fault(error, settings);
  }
  if (!request.file) throw validationError([{ path: field, message: 'A file is required.' }]);
  const file = { path: path.resolve(request.file.path), name: request.file.originalname };
  // Multer makes it without a prototype.
  return { file, fields: { ...(request.body as object) } };
}
