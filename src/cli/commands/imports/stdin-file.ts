import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, systemErrorCode } from '../../../errors.js';
import type { Io } from '../../core/output/output.js';

/** Copy of standard input. An import reads its file more than once, and again when resumed. */
export interface SpooledFile {
  path: string;
  remove(): Promise<void>;
}

/** Copies standard input into the data folder, readable by this user only. @throws AppError `FILE_UNUSABLE`, `INTERRUPTED` */
export async function fileFromStdin(io: Io, dataDir: string): Promise<SpooledFile> {
  let folder = '';
  const remove = async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(path.join(dataDir, 'imports'), { recursive: true, mode: 0o700 });
    folder = await mkdtemp(path.join(dataDir, 'imports', 'stdin-'));
    const file = path.join(folder, 'stdin.csv');
    await pipeline(io.stdin, createWriteStream(file, { mode: 0o600 }), { signal: io.signal });
    return { path: file, remove };
  } catch (error) {
    await remove();
    if (io.signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    if (systemErrorCode(error) === undefined) throw error;
    throw new AppError(
      'FILE_UNUSABLE',
      `Standard input can't be stored in ${dataDir} (${systemErrorCode(error)}). Check DATA_DIR, or import a file.`,
      { cause: error },
    );
  }
}
