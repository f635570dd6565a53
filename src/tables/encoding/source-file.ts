import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError, readFailureReason, systemErrorCode } from '../../errors.js';
import type { FileProblemReason } from '../../schemas/file-format.js';
import type { Sheet } from '../table/table.js';

/** The refusal of a whole file, with what programs know it by. */
export class FileProblem extends AppError {
  /** Those of a workbook that was opened: another one may be read. */
  sheets: readonly Sheet[] = [];

  /** @param line the line that it is about, from 1 */
  constructor(
    readonly reason: FileProblemReason,
    message: string,
    readonly line: number | null = null,
    cause?: unknown,
  ) {
    super('IMPORT_FILE_INVALID', message, cause === undefined ? {} : { cause });
  }
}

function toUnreadableError(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new AppError('IMPORT_FILE_INVALID', `The file ${file} ${readFailureReason(code)}.`, { cause: error });
}

/** How much is parsed at a time: little enough that parsing doesn't block the event loop for long. */
const chunkBytes = 16 * 1024;
/** How much is read at a time: another thread reads, and waking it costs more than reading a chunk. */
const readBytes = 4 * chunkBytes;

/** The bytes of a file. @throws AppError `IMPORT_FILE_INVALID` when it can't be read */
export async function* fileBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const read of createReadStream(file, { highWaterMark: readBytes })) {
      // A stream without an encoding gives buffers.
      const bytes = read as Buffer;
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    }
  } catch (error) {
    throw toUnreadableError(file, error);
  }
}

/** The SHA-256 of a file. @throws as {@link fileBytes} */
export async function computeSha256(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const bytes of fileBytes(file)) digest.update(bytes);
  return digest.digest('hex');
}

/**
 * The device, inode, size and time of change of a file: a changed file has another identity.
 * @throws AppError `IMPORT_FILE_INVALID` when it can't be read, or not twice, as planning and applying do
 */
export async function readFileIdentity(file: string): Promise<string> {
  const stats = await stat(file).catch((error: unknown) => {
    throw toUnreadableError(file, error);
  });
  if (!stats.isFile() && !stats.isDirectory())
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} is a pipe or a device. Save it as a file.`);
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
