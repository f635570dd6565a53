import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError, readFailureReason, systemErrorCode } from '../../errors.js';
import type { FileProblemReason } from '../../schemas/file-format.js';
import type { Sheet } from '../table/table.js';

export class FileProblem extends AppError {
  /** Sheets of the workbook, if it was opened: another sheet may be importable. */
  sheets: readonly Sheet[] = [];

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

/** Bytes that are parsed at a time: few enough not to block the event loop for long. */
const chunkBytes = 16 * 1024;
/** Bytes that are read at a time. Another thread reads, and waking it costs more than reading a chunk. */
const readBytes = 4 * chunkBytes;

/** Yields the bytes of a file. @throws AppError `IMPORT_FILE_INVALID` if the file can't be read */
export async function* fileBytes(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const read of createReadStream(file, { highWaterMark: readBytes })) {
      // Streams without an encoding yield buffers.
      const bytes = read as Buffer;
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    }
  } catch (error) {
    throw toUnreadableError(file, error);
  }
}

/** Returns the SHA-256 of a file in hexadecimal. @throws AppError as {@link fileBytes} */
export async function computeSha256(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const bytes of fileBytes(file)) digest.update(bytes);
  return digest.digest('hex');
}

/**
 * Returns device, inode, size and modification time of a file. A changed file has another identity.
 * @throws AppError `IMPORT_FILE_INVALID` if the file can't be read, or is a pipe or device: an import reads its file several
 *   times
 */
export async function readFileIdentity(file: string): Promise<string> {
  const stats = await stat(file).catch((error: unknown) => {
    throw toUnreadableError(file, error);
  });
  if (!stats.isFile() && !stats.isDirectory())
    throw new AppError('IMPORT_FILE_INVALID', `The file ${file} is a pipe or a device. Save it as a file.`);
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
