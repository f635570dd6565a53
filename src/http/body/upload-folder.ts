import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageEngine } from 'multer';

/** Multer storage for the files of one request. */
export interface UploadFolder {
  engine: StorageEngine;
  /** Removes all files, after waiting for unfinished ones. */
  clear(): Promise<void>;
}

/** Writes a file that only this user can read. When the promise settles, the file is closed. */
async function write(source: Readable, target: string): Promise<void> {
  const output = createWriteStream(target, { flags: 'wx', mode: 0o600 });
  const closed = new Promise<void>((resolve) => output.once('close', () => resolve()));
  try {
    await pipeline(source, output);
  } finally {
    await closed;
  }
}

/**
 * Stores Multer's files under random names in a folder. Multer's own disk storage leaves partial files when the disk is full,
 * and makes files readable for all users of the machine.
 */
export function uploadFolder(folder: string): UploadFolder {
  const written: { target: string; end: Promise<void> }[] = [];
  return {
    engine: {
      _handleFile(_request, file, done) {
        const target = path.join(folder, randomUUID());
        const end = write(file.stream, target);
        written.push({ target, end });
        end.then(
          () => done(null, { path: target }),
          (error: unknown) => done(error),
        );
      },
      _removeFile(_request, file, done) {
        rm(file.path, { force: true }).then(() => done(null), done);
      },
    },
    async clear() {
      await Promise.allSettled(written.map(({ end }) => end));
      for (const { target } of written) await rm(target, { force: true });
    },
  };
}
