import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { decoded, encoded, headText, type ReportFormat, reportLine } from '../../../csv/format.js';
import { AppError, systemErrorCode } from '../../../errors.js';
import { syncToDisk } from '../../../storage/disk.js';
import { isAt, readAt, unusable, writeAll } from './open-files.js';

/** The longest line of a credentials file, in bytes. */
const longestLine = 8 * 1024;

/**
 * A CSV file to which an import appends with each batch. The database has the length of the committed rows; a resumed run
 * drops what a crash left beyond that.
 */
export class ReportFile {
  #handle: FileHandle | undefined;
  #length = 0;
  #committed = 0;
  /** The path of the copy of an earlier run's file, until it replaces that file. */
  #copy: string | undefined;
  readonly #header: Buffer;
  readonly #lineEnd: Buffer;
  #isReplaced = false;

  /** @param replaces a file of the earlier run that is removed before this one is created */
  constructor(
    readonly path: string,
    header: readonly string[],
    readonly format: ReportFormat,
    readonly replaces?: string,
  ) {
    this.#header = encoded(headText(header, format), format.encoding);
    this.#lineEnd = encoded('\n', format.encoding);
  }

  /** Bytes written so far; 0 when the file doesn't exist yet. */
  get length(): number {
    return this.#length;
  }

  /**
   * Continues the file of an interrupted run after its committed rows. They are copied to a new file, which
   * {@link publish} puts in its place: a process that was only paused, and has the old file open, can't write to this one.
   * @param isOurs checks the last committed line, when there is one below the header
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
          `The file ${this.path} is not the one that this import wrote. Put that back, or move this one away and resume the import in a new one.`,
        );
      await this.#copyFrom(old, committed);
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

  async #copyFrom(old: FileHandle, committed: number): Promise<void> {
    this.#copy = `${this.path}.part`;
    await rm(this.#copy, { force: true });
    try {
      this.#handle = await open(this.#copy, 'wx+', 0o600);
      for await (const chunk of old.createReadStream({ start: 0, end: committed - 1, autoClose: false })) {
        // A stream without an encoding yields buffers.
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
   * Removes the replaced file, and renames the copy of the earlier run's file. To be called in a transaction that has
   * renewed the lease: otherwise a run that was paused for too long would destroy what its successor wrote. Does nothing
   * the second time.
   * @throws AppError `FILE_UNUSABLE`
   */
  async publish(): Promise<void> {
    try {
      if (this.replaces !== undefined && !this.#isReplaced) {
        await rm(this.replaces, { force: true });
        // The name is free for a moment. If another process takes it, begin() fails with the file's name.
        if (this.replaces === this.path) await this.claim();
        this.#isReplaced = true;
      }
      if (this.#copy === undefined) return;
      await rename(this.#copy, this.path);
      this.#copy = undefined;
      await syncToDisk(path.dirname(this.path));
    } catch (error) {
      throw unusable(this.path, error);
    }
    await this.assertInPlace();
  }

  /**
   * Whether the file is what an interrupted run has left: the header and the committed rows; where none were committed, no more
   * than the header.
   */
  async isLeftover(committed: number): Promise<boolean> {
    // A file that can't be opened can't be continued, whatever the cause; any fault of its path shows when it is written.
    const file = await open(this.path, 'r').catch(() => undefined);
    if (!file) return false;
    try {
      if (committed > 0) return await this.#isOurs(file, committed, async () => true);
      const start = await readAt(file, 0, this.#header.length + 1);
      return this.#header.subarray(0, start.length).equals(start);
    } catch (error) {
      throw unusable(this.path, error);
    } finally {
      await file.close();
    }
  }

  /**
   * Creates the file, empty, so that no other import chooses its name. Only this user can read it. close() removes it
   * unless something was written.
   * @returns the error when it can't be created
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
   * Writes the header to the claimed file, or to a new one; never to another existing file.
   * @throws AppError `FILE_UNUSABLE`
   */
  async begin(): Promise<void> {
    try {
      this.#handle ??= await open(this.path, 'wx+', 0o600);
      await syncToDisk(path.dirname(this.path));
      await this.#write(this.#header);
      this.commit();
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  /** Appends rows, and waits until they are on the disk. @throws AppError `FILE_UNUSABLE` */
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

  /** To be called when the appended rows are committed. */
  commit(): void {
    this.#committed = this.#length;
  }

  /** Removes the appended rows, which were not committed. */
  async rewind(): Promise<void> {
    await this.#handle?.truncate(this.#committed);
    this.#length = this.#committed;
  }

  /** @throws AppError `FILE_UNUSABLE` when the path no longer names the open file */
  async assertInPlace(): Promise<void> {
    if (this.#handle && this.#length > 0 && !(await isAt(this.#handle, this.path)))
      throw new AppError(
        'FILE_UNUSABLE',
        `The file ${this.path} was moved or removed while the import wrote it. Run the import again: it resumes in a new one.`,
      );
  }

  /** Whether there is more than the header. */
  get hasRows(): boolean {
    return this.#length > this.#header.length;
  }

  /** Closes the file. One without rows is removed and has no length then: begin() would create it again. */
  async end(): Promise<void> {
    if (!this.hasRows) {
      this.#length = 0;
      this.commit();
    }
    await this.close();
  }

  /** Closes the file and removes it, whatever was written: for one that no import has recorded. */
  async discard(): Promise<void> {
    this.#length = 0;
    await this.close();
  }

  /** Closes the file. One to which nothing was written is removed, and so is a copy that was not published. */
  async close(): Promise<void> {
    const [handle, copy] = [this.#handle, this.#copy];
    this.#handle = undefined;
    this.#copy = undefined;
    // The copy was not published. By now its path may be another run's.
    if (handle && copy !== undefined && (await isAt(handle, copy))) await rm(copy, { force: true });
    // The file was claimed, but nothing was written.
    else if (handle && this.#length === 0 && (await isAt(handle, this.path))) await rm(this.path, { force: true });
    await handle?.close();
  }
}
