import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { AppError, systemErrorCode } from '../../errors.js';
import { neutralizeCell } from './cells.js';

/** One line of CSV, with cells that no spreadsheet runs. */
export function csvLine(cells: readonly string[]): string {
  return stringify([cells.map(neutralizeCell)]);
}

function unusable(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const problem = code === 'ENOSPC' ? 'the disk is full' : code;
  return new AppError(
    'FILE_UNUSABLE',
    `The file ${file} can't be written (${problem}). Make room or name another file, and run the import again: it goes on where it stopped.`,
    { cause: error },
  );
}

/**
 * A CSV file that grows with an import, in step with the database: the length that belongs to committed rows is kept
 * there, and whatever a crash left behind it is cut off before writing goes on. It is made at the first row.
 */
export class ReportFile {
  #handle: FileHandle | undefined;
  #length = 0;

  constructor(
    readonly path: string,
    private readonly header: readonly string[],
  ) {}

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Takes up the file where a run that broke off had committed it. @throws AppError `FILE_UNUSABLE` when it isn't there or isn't ours */
  async resume(committedLength: number): Promise<void> {
    try {
      const handle = await open(this.path, 'r+');
      this.#handle = handle;
      await this.#assertOurs(handle, committedLength);
      await handle.truncate(committedLength);
      this.#length = committedLength;
    } catch (error) {
      // Broken off before its first row was written.
      if (systemErrorCode(error) === 'ENOENT' && committedLength === 0) return;
      throw unusable(this.path, error);
    }
  }

  async #assertOurs(handle: FileHandle, committedLength: number): Promise<void> {
    const header = Buffer.from(csvLine(this.header));
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(header.length), 0, header.length, 0);
    const ours = header.subarray(0, bytesRead).equals(buffer.subarray(0, bytesRead));
    if (!ours || size < committedLength) {
      throw new AppError(
        'FILE_UNUSABLE',
        `The file ${this.path} is not the one that this import wrote. Put that back, or move this one away.`,
      );
    }
  }

  /** Adds rows and waits until they are on the disk. @throws AppError `FILE_UNUSABLE` */
  async append(rows: readonly (readonly string[])[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      this.#handle ??= await createFile(this.path);
      const bytes = Buffer.from((this.#length === 0 ? csvLine(this.header) : '') + rows.map(csvLine).join(''));
      await this.#handle.write(bytes, 0, bytes.length, this.#length);
      await this.#handle.sync();
      this.#length += bytes.length;
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  /** Takes back what was added behind `length`, because its rows were not committed. */
  async rewind(length: number): Promise<void> {
    await this.#handle?.truncate(length);
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/** A new file that only this user can read; never an existing one. */
async function createFile(file: string): Promise<FileHandle> {
  const handle = await open(file, 'wx+', 0o600);
  await syncFolder(path.dirname(file));
  return handle;
}

/** A new file is only there after a crash when its folder has been synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
