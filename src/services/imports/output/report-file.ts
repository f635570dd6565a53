import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { decoded, encoded, headText, type ReportFormat, reportLine } from '../../../csv/format.js';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import { syncFolder } from '../../../storage/sync-folder.js';

function unusable(file: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const problem = code === 'ENOSPC' ? 'the disk is full' : code;
  return new AppError(
    'FILE_UNUSABLE',
    `The file ${file} can't be written (${problem}). Make room or name another file, and run the import again: it goes on where it stopped.`,
    { cause: error },
  );
}

/** No line of a credentials file is longer, in bytes. */
const longestLine = 8 * 1024;

/**
 * A CSV file that grows with an import, in step with the database: the length that belongs to committed rows is kept
 * there, and whatever a crash left behind it is cut off before writing goes on.
 */
export class ReportFile {
  #handle: FileHandle | undefined;
  #length = 0;
  #committed = 0;
  /** What is taken up of an earlier run's file, until it takes that file's place. */
  #copy: string | undefined;
  readonly #header: Buffer;
  readonly #lineEnd: Buffer;
  #isReplaced = false;

  /** @param replaces a file of the earlier run that is removed before this one is there */
  constructor(
    readonly path: string,
    header: readonly string[],
    readonly format: ReportFormat,
    readonly replaces?: string,
  ) {
    this.#header = encoded(headText(header, format), format.encoding);
    this.#lineEnd = encoded('\n', format.encoding);
  }

  /** Bytes written so far; 0 when there is no file yet. */
  get length(): number {
    return this.#length;
  }

  /**
   * Takes up the file where a run that broke off had committed it. That much of it becomes a new file, which is to take
   * its place: a process that was only paused, and still holds the old one, can't write to this.
   * @param isOurs looks at the last committed line, when there is one below the header
   * @returns false when the file is gone
   * @throws AppError `FILE_UNUSABLE` when it isn't ours
   */
  async resume(committed: number, isOurs: (lastLine: string) => Promise<boolean>): Promise<boolean> {
    let old: FileHandle | undefined;
    try {
      old = await open(this.path, 'r');
      if (!(await this.#isOurs(old, committed, isOurs)))
        throw new AppError(
          'FILE_UNUSABLE',
          `The file ${this.path} is not the one that this import wrote. Put that back, or move this one away and go on in a new one.`,
        );
      await this.#take(old, committed);
      return true;
    } catch (error) {
      if (old === undefined && systemErrorCode(error) === 'ENOENT') return false;
      throw unusable(this.path, error);
    } finally {
      await old?.close();
    }
  }

  async #isOurs(old: FileHandle, committed: number, isOurs: (lastLine: string) => Promise<boolean>): Promise<boolean> {
    const start = await readAt(old, 0, this.#header.length);
    const tailLength = Math.min(committed, longestLine);
    const tail = await readAt(old, committed - tailLength, tailLength);
    const isWhole = tail.length === tailLength && tail.subarray(-this.#lineEnd.length).equals(this.#lineEnd);
    if (!start.equals(this.#header) || !isWhole) return false;
    const text = decoded(tail, this.format.encoding);
    return committed === this.#header.length || isOurs(text.trimEnd().split('\n').at(-1) ?? '');
  }

  async #take(old: FileHandle, committed: number): Promise<void> {
    this.#copy = `${this.path}.part`;
    await rm(this.#copy, { force: true });
    try {
      this.#handle = await open(this.#copy, 'wx+', 0o600);
      for await (const chunk of old.createReadStream({ start: 0, end: committed - 1, autoClose: false })) {
        await writeAll(this.#handle, chunk as Buffer, this.#length);
        this.#length += (chunk as Buffer).length;
      }
      await this.#handle.sync();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.commit();
  }

  /**
   * Removes what is replaced, and puts what was taken up in its place. Only whoever's turn it is may do so, until a
   * transaction ends that has made sure of it: a run that was paused for too long would destroy what its successor wrote.
   * Does nothing when it is done already.
   * @throws AppError `FILE_UNUSABLE`
   */
  async publish(): Promise<void> {
    try {
      if (this.replaces !== undefined && !this.#isReplaced) {
        await rm(this.replaces, { force: true });
        // Its name is free for a moment: should somebody else be faster, it is named when it is written.
        if (this.replaces === this.path) await this.claim();
        this.#isReplaced = true;
      }
      if (this.#copy === undefined) return;
      await rename(this.#copy, this.path);
      this.#copy = undefined;
      await syncFolder(path.dirname(this.path));
    } catch (error) {
      throw unusable(this.path, error);
    }
    await this.assertInPlace();
  }

  /** Whether the file is, as far as can be seen, still the one of which so much was committed. */
  async isIntact(committed: number): Promise<boolean> {
    const file = await open(this.path, 'r').catch(() => undefined);
    if (!file) return false;
    try {
      return await this.#isOurs(file, committed, async () => true);
    } catch (error) {
      throw unusable(this.path, error);
    } finally {
      await file.close();
    }
  }

  /** Whether the file is one that a run left that broke off before the database knew of it: no row is in it. */
  async isLeftover(): Promise<boolean> {
    let file: FileHandle;
    try {
      file = await open(this.path, 'r');
    } catch {
      // Not there; or whatever is wrong with it shows when it is written.
      return false;
    }
    try {
      const start = await readAt(file, 0, this.#header.length + 1);
      return this.#header.subarray(0, start.length).equals(start);
    } catch (error) {
      throw unusable(this.path, error);
    } finally {
      await file.close();
    }
  }

  /**
   * Makes the file, empty, so that nobody else chooses its name. Unless something is written to it, it goes when this is
   * closed. Only this user can read it.
   * @returns why it can't be made, when it can't
   */
  async claim(): Promise<unknown> {
    try {
      this.#handle = await open(this.path, 'wx+', 0o600);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /**
   * Writes the header, to the file that was claimed, or to one that is made now: never to one that exists.
   * @throws AppError `FILE_UNUSABLE`
   */
  async begin(): Promise<void> {
    try {
      this.#handle ??= await open(this.path, 'wx+', 0o600);
      await syncFolder(path.dirname(this.path));
      await this.#write(this.#header);
      this.commit();
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  /** Adds rows to the file that was begun, and waits until they are on the disk. @throws AppError `FILE_UNUSABLE` */
  async append(rows: readonly (readonly string[])[]): Promise<void> {
    try {
      const text = rows.map((cells) => reportLine(cells, this.format)).join('');
      await this.#write(encoded(text, this.format.encoding));
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    if (!this.#handle) throw new Error(`${this.path} was not begun`);
    await writeAll(this.#handle, bytes, this.#length);
    await this.#handle.sync();
    this.#length += bytes.length;
  }

  /** What was added has been committed. */
  commit(): void {
    this.#committed = this.#length;
  }

  /** Takes back what was added, because it was not committed. */
  async rewind(): Promise<void> {
    await this.#handle?.truncate(this.#committed);
    this.#length = this.#committed;
  }

  /** @throws AppError `FILE_UNUSABLE` when what is written no longer goes where the file's name says */
  async assertInPlace(): Promise<void> {
    if (this.#handle && this.#length > 0 && !(await isAt(this.#handle, this.path)))
      throw new AppError(
        'FILE_UNUSABLE',
        `The file ${this.path} was moved or removed while the import wrote it. Run the import again: it goes on in a new one.`,
      );
  }

  async close(): Promise<void> {
    const [handle, copy] = [this.#handle, this.#copy];
    this.#handle = undefined;
    this.#copy = undefined;
    // It never took its place. By now it may be another run's.
    if (handle && copy !== undefined && (await isAt(handle, copy))) await rm(copy, { force: true });
    // It was claimed, and then there was nothing to write.
    else if (handle && this.#length === 0 && (await isAt(handle, this.path))) await rm(this.path, { force: true });
    await handle?.close();
  }
}

/** Whether an open file is the one that the path names. */
async function isAt(handle: FileHandle, file: string): Promise<boolean> {
  const [held, named] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(file, { bigint: true }).catch(() => undefined),
  ]);
  return named?.ino === held.ino && named.dev === held.dev;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** A write may do less than it was asked for: where the disk is nearly full, for one. */
async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
