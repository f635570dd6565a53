import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, systemErrorCode, whyUnreadable } from '../../errors.js';
import { diskFault } from '../../storage/disk-fault.js';
import type { Core } from '../core.js';
import { type Upload, type UploadLimit, uploadsFolder } from './files.js';

/** What is in a file of this machine, as long as it isn't too much. */
async function* contentOf(file: string, name: string, limit: UploadLimit): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of createReadStream(file)) {
      // A stream without an encoding gives buffers.
      const chunk = piece as Buffer;
      bytes += chunk.length;
      if (bytes > limit.maxBytes) throw limit.tooLarge();
      yield chunk;
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof AppError || code === undefined || code === 'ABORT_ERR') throw error;
    throw new AppError('USAGE', `The file ${name} ${whyUnreadable(code)}.`, { cause: error });
  }
}

/**
 * Copies a file of this machine to where uploads are, for services that take uploads away: the file itself stays.
 * @param file its absolute path
 * @param given its path as its owner wrote it
 * @throws AppError `USAGE` when it can't be read, that of the limit, `DISK_FULL`, `STORAGE_UNAVAILABLE`, `INTERRUPTED`
 */
export async function copyToUploads(
  core: Core,
  { file, given, limit, signal }: { file: string; given: string; limit: UploadLimit; signal: AbortSignal },
): Promise<Upload> {
  const folder = uploadsFolder(core);
  const copy = path.join(folder, randomUUID());
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await pipeline(contentOf(file, given, limit), createWriteStream(copy, { flags: 'wx', mode: 0o600 }), { signal });
    return { path: copy, name: path.basename(file) };
  } catch (error) {
    // That it can't be removed either says nothing new.
    await rm(copy, { force: true }).catch(() => undefined);
    if (signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    throw error instanceof AppError ? error : diskFault(folder, error);
  }
}
