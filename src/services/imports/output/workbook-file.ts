import { createHash } from 'node:crypto';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, unlessMissing } from '../../../errors.js';
import { syncToDisk } from '../../../storage/disk.js';

/** Whether an open file is the one that the path names. */
export async function isAt(handle: FileHandle, file: string): Promise<boolean> {
  const [held, named] = await Promise.all([
    handle.stat({ bigint: true }),
    // A path that can't be looked at doesn't name the file: the caller then leaves it alone.
    stat(file, { bigint: true }).catch(() => undefined),
  ]);
  return named?.ino === held.ino && named.dev === held.dev;
}

/** A path, and those after it where it is taken: `people.csv`, `people-2.csv`, ... */
export const numberedPaths = (file: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    const { dir, name, ext } = path.parse(file);
    yield file;
    for (let number = 2; ; number += 1) yield path.join(dir, `${name}-${number}${ext}`);
  },
});

/** The SHA-256 of a regular file; nothing for what is none. */
async function digestOf(file: string): Promise<string | undefined> {
  if (!(await unlessMissing(lstat(file)))?.isFile()) return undefined;
  const handle = await open(file, 'r');
  try {
    const hash = createHash('sha256');
    // A stream without an encoding yields buffers.
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

/**
 * A workbook that takes the place of a CSV file. It is written under another name, and gets its own when all of it is on the
 * disk: no crash leaves a part of a workbook under that name.
 */
export class WorkbookFile {
  /** null until it is published. */
  path: string | null = null;

  private constructor(
    private readonly part: string,
    private readonly handle: FileHandle,
    readonly length: number,
    readonly digest: string,
  ) {}

  /**
   * Writes all of a workbook, for this user only.
   * @param file the path that it is to have
   * @throws the error of the file system, and those of the bytes
   */
  static async write(file: string, bytes: AsyncIterable<Uint8Array>): Promise<WorkbookFile> {
    const part = `${file}.part`;
    // Of a run that was killed.
    await rm(part, { force: true });
    const handle = await open(part, 'ax+', 0o600);
    try {
      const hash = createHash('sha256');
      let length = 0;
      for await (const chunk of bytes) {
        await handle.appendFile(chunk);
        hash.update(chunk);
        length += chunk.length;
      }
      await handle.sync();
      return new WorkbookFile(part, handle, length, hash.digest('hex'));
    } catch (error) {
      if (await isAt(handle, part)) await rm(part, { force: true });
      await handle.close();
      throw error;
    }
  }

  /**
   * Gives the workbook the first path that is free. To be called in a transaction that has renewed the lease; does nothing the
   * second time.
   * @param mayBeLeftOver whether a killed run may have published the same workbook, or have begun to: that one is replaced
   */
  async publish(paths: Iterable<string>, mayBeLeftOver: boolean): Promise<void> {
    if (this.path !== null) return;
    for (const file of paths) {
      if (!(await this.#reserve(file)) && !(mayBeLeftOver && (await this.#isLeftOver(file)))) continue;
      await rename(this.part, file);
      this.path = file;
      await syncToDisk(path.dirname(file));
      return;
    }
  }

  async #reserve(file: string): Promise<boolean> {
    try {
      await (await open(file, 'wx', 0o600)).close();
      return true;
    } catch (error) {
      if (systemErrorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  async #isLeftOver(file: string): Promise<boolean> {
    const digest = await digestOf(file);
    return digest === this.digest || digest === createHash('sha256').digest('hex');
  }

  /** Removes the workbook, whether it is published or not. */
  async discard(): Promise<void> {
    const file = this.path ?? this.part;
    if (await isAt(this.handle, file)) await rm(file, { force: true });
    await this.close();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
