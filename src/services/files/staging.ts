import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, readFailureReason, systemErrorCode } from '../../errors.js';
import { diskFault } from '../../storage/disk.js';
import type { Core } from '../core.js';
import { makeUploadFolder, type Upload, type UploadLimit, uploadsFolder } from './files.js';

/** Reads a local file up to the limit. */
async function* readUpTo(file: string, name: string, limit: UploadLimit): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const data of createReadStream(file)) {
      // A stream without an encoding gives buffers.
      const chunk = data as Buffer;
      bytes += chunk.length;
      if (bytes > limit.maxBytes) throw limit.tooLarge();
      yield chunk;
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof AppError || code === undefined || code === 'ABORT_ERR') throw error;
    throw new AppError('USAGE', `The file ${name} ${readFailureReason(code)}.`, { cause: error });
  }
}

/**
 * Copies a local file to the upload folder, because services move or remove their uploads.
 * @param file absolute path
 * @param given path as the user wrote it, for messages
 * @throws AppError `USAGE` if the file can't be read, the error of the limit, `DISK_FULL`, `STORAGE_UNAVAILABLE`,
 *   `INTERRUPTED`
 */
export async function copyToUploads(
  core: Core,
  { file, given, limit, signal }: { file: string; given: string; limit: UploadLimit; signal: AbortSignal },
): Promise<Upload> {
  const folder = uploadsFolder(core);
  const copy = path.join(folder, randomUUID());
  try {
    await makeUploadFolder(folder);
    await pipeline(readUpTo(file, given, limit), createWriteStream(copy, { flags: 'wx', mode: 0o600 }), { signal });
    return { path: copy, name: path.basename(file) };
  } catch (error) {
    // The first error matters more than a failure to remove the copy.
    await rm(copy, { force: true }).catch(() => undefined);
    if (signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    throw error instanceof AppError ? error : diskFault(folder, error);
  }
}
