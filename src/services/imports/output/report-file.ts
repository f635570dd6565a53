import { createHash, type Hash } from 'node:crypto';
import { access, constants, type FileHandle, lstat, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, isAppError, systemErrorCode, undefinedIfMissing, writeFailureReason } from '../../../errors.js';
import { syncToDisk } from '../../../storage/disk.js';
import { encodeText, headerText, type ReportFormat, reportLine } from '../../../tables/write/csv.js';
import { type ReportKind, runningPath } from './report-workbook.js';

/** Characters that are written at a time. */
const pieceCharacters = 1024 * 1024;

/**
 * Converts an error of the file system to `FILE_UNUSABLE`; returns other errors unchanged.
 * @param otherwise alternative for the operator, see {@link writeFailureReason}
 */
export function toUnusableError(file: string, error: unknown, otherwise = 'name another file'): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const why = writeFailureReason(code, otherwise);
  return new AppError('FILE_UNUSABLE', `The file ${file} ${why}.`, { cause: error });
}

/** Whether the path names the open file. */
async function isOpenAt(handle: FileHandle, file: string): Promise<boolean> {
  const [held, named] = await Promise.all([
    handle.stat({ bigint: true }),
    // If the path can't be inspected, it doesn't name the file: the caller then leaves the path alone.
    stat(file, { bigint: true }).catch(() => undefined),
  ]);
  return named?.ino === held.ino && named.dev === held.dev;
}

export interface ReportOptions {
  kind: ReportKind;
  header: readonly string[];
  format: ReportFormat;
  /** Possible paths: the file gets the first free one. For a workbook, they are its paths: see {@link runningPath}. */
  paths: Iterable<string>;
  /** Whether a killed run may have left the file with only its header: then the file is replaced. */
  mayReplaceLeftover?: boolean;
  /** File of an earlier run whose passwords were fetched. {@link ReportFile.publish} removes it. */
  fetchedFile?: string | null;
}

/** The bytes of a report file that the database has committed. */
export interface CommittedBytes {
  length: number;
  /** SHA-256 of the bytes. */
  digest: string | null;
}

/** A CSV file to which an import appends. Bytes after the length that the database has committed are dropped on resume. */
export class ReportFile {
  #path: string | null = null;
  #handle: FileHandle | undefined;
  #length = 0;
  #hash = createHash('sha256');
  /** Committed length and digest; undefined before the first commit. */
  #committed: { length: number; hash: Hash } | undefined;
  /** Path of the copy of an earlier run's file, until the copy replaces that file. */
  #copy: string | undefined;
  readonly #options: ReportOptions;
  readonly #header: Buffer;

  constructor(options: ReportOptions) {
    this.#options = options;
    this.#header = encodeText(headerText(options.header, options.format), options.format.encoding);
  }

  /** Path of the file; null until the file exists. */
  get path(): string | null {
    return this.#path;
  }

  get encoding(): ReportFormat['encoding'] {
    return this.#options.format.encoding;
  }

  /** Bytes written so far; 0 if the file doesn't exist yet. */
  get length(): number {
    return this.#length;
  }

  /** SHA-256 of the bytes written so far. */
  get digest(): string {
    return this.#hash.copy().digest('hex');
  }

  get hasRows(): boolean {
    return this.#length > this.#header.length;
  }

  /**
   * Continues the file of an interrupted run after its committed bytes. The bytes are copied to a new file, which {@link
   * publish} moves to the path of the old file. A process that was only paused still has the old file open, but can't write to
   * the new file.
   * @returns false if the file is gone
   * @throws AppError `FILE_UNUSABLE` if the import didn't write this file
   */
  async resume(file: string, committed: CommittedBytes): Promise<boolean> {
    let old: FileHandle | undefined;
    try {
      old = await open(file, 'r');
      this.#path = file;
      this.#copy = `${file}.part`;
      await rm(this.#copy, { force: true });
      this.#handle = await open(this.#copy, 'ax+', 0o600);
      const bytes = old.createReadStream({ start: 0, end: committed.length - 1, autoClose: false });
      // Streams without an encoding yield buffers.
      for await (const chunk of bytes) await this.#add(chunk as Buffer);
      await this.#handle.sync();
      if (this.digest !== committed.digest)
        throw new AppError(
          'FILE_UNUSABLE',
          `The file ${file} was not written by this import. Restore the original file, or move this file away, so that the resumed import writes a new one.`,
        );
      this.commit();
      return true;
    } catch (error) {
      if (old === undefined && systemErrorCode(error) === 'ENOENT') return false;
      await this.close();
      throw toUnusableError(file, error);
    } finally {
      await old?.close();
    }
  }

  /**
   * Removes the fetched file, and moves the copy to the path of the earlier run's file. Call this in a transaction that
   * renewed the lease: otherwise a run that was paused for too long would destroy the file of its successor. A second call
   * does nothing.
   * @throws AppError `FILE_UNUSABLE`
   */
  async publish(): Promise<void> {
    const { fetchedFile } = this.#options;
    if (fetchedFile) await rm(fetchedFile, { force: true });
    if (this.#copy === undefined || this.#path === null) return;
    try {
      await rename(this.#copy, this.#path);
      this.#copy = undefined;
      await syncToDisk(path.dirname(this.#path));
    } catch (error) {
      throw toUnusableError(this.#path, error);
    }
    await this.assertInPlace();
  }

  /**
   * Makes sure that {@link begin} can create the file, before anything is written.
   * @param otherwise alternative for the operator, see {@link writeFailureReason}
   * @throws AppError `USAGE`
   */
  async assertCreatable(otherwise: string): Promise<void> {
    for (const file of this.#options.paths) {
      try {
        if (await this.#isTaken(file)) continue;
        await access(path.dirname(file), constants.W_OK);
        return;
      } catch (error) {
        const code = systemErrorCode(error);
        if (code === undefined) throw error;
        throw new AppError('USAGE', `The file ${file} ${writeFailureReason(code, otherwise)}.`, { cause: error });
      }
    }
    throw this.#pathTakenError('USAGE');
  }

  /** Returns the error for the case that no path is free. Only a path that the operator named can be taken. */
  #pathTakenError(code: 'USAGE' | 'FILE_UNUSABLE'): AppError {
    const [file] = this.#options.paths;
    return new AppError(code, `The file ${file} exists already and is never overwritten. Name another one.`);
  }

  /** Whether the file exists, or the CSV file that a running import writes first. */
  async #isTaken(file: string): Promise<boolean> {
    const running = runningPath(file);
    if (running !== file && (await undefinedIfMissing(lstat(file))) !== undefined) return true;
    return (await undefinedIfMissing(lstat(running))) !== undefined && !(await this.#isLeftover(running));
  }

  async #isLeftover(file: string): Promise<boolean> {
    const found = this.#options.mayReplaceLeftover ? await undefinedIfMissing(lstat(file)) : undefined;
    if (!found?.isFile() || found.size > this.#header.length) return false;
    return this.#header.subarray(0, found.size).equals(await readFile(file));
  }

  /**
   * Creates the file with its header, readable by this user only. Closing removes the file, unless {@link commit} was called.
   * @throws AppError `FILE_UNUSABLE`
   */
  async begin(): Promise<void> {
    for (const named of this.#options.paths) {
      const file = runningPath(named);
      try {
        if (await this.#isTaken(named)) continue;
        if (await this.#isLeftover(file)) await rm(file, { force: true });
        this.#handle = await open(file, 'ax+', 0o600);
        this.#path = file;
        await syncToDisk(path.dirname(file));
        return await this.#write(this.#header);
      } catch (error) {
        // Another process has just created this file.
        if (this.#handle === undefined && systemErrorCode(error) === 'EEXIST') continue;
        throw toUnusableError(file, error);
      }
    }
    throw this.#pathTakenError('FILE_UNUSABLE');
  }

  /** Appends rows, and waits until they are on the disk. @throws AppError `FILE_UNUSABLE` */
  async append(rows: readonly (readonly string[])[]): Promise<void> {
    const { format } = this.#options;
    let text = '';
    try {
      for (const cells of rows) {
        text += reportLine(cells, format);
        if (text.length < pieceCharacters) continue;
        await this.#add(encodeText(text, format.encoding));
        text = '';
      }
      await this.#write(encodeText(text, format.encoding));
    } catch (error) {
      throw toUnusableError(this.#path ?? '', error);
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#add(bytes);
    await this.#handle?.sync();
  }

  async #add(bytes: Buffer): Promise<void> {
    if (!this.#handle) throw new Error('The report file was not begun.');
    await this.#handle.appendFile(bytes);
    this.#hash.update(bytes);
    this.#length += bytes.length;
  }

  /** Call this after the database committed the appended rows, or the path of a new file. */
  commit(): void {
    this.#committed = { length: this.#length, hash: this.#hash.copy() };
  }

  /** Removes uncommitted rows, or the whole uncommitted file. */
  async rewind(): Promise<void> {
    if (!this.#committed) return this.discard();
    const { length, hash } = this.#committed;
    await this.#handle?.truncate(length);
    this.#length = length;
    this.#hash = hash.copy();
  }

  /** @throws AppError `FILE_UNUSABLE` if the path no longer names the open file */
  async assertInPlace(): Promise<void> {
    if (this.#handle && this.#path !== null && !(await isOpenAt(this.#handle, this.#path)))
      throw new AppError(
        'FILE_UNUSABLE',
        `The file ${this.#path} was moved or removed while the import wrote it. Run the import again: it continues in a new file.`,
      );
  }

  /** Closes the file, and removes it if it has no rows. */
  async end(): Promise<void> {
    await (this.hasRows ? this.close() : this.discard());
  }

  /** Closes and removes the file, including committed rows. */
  async discard(): Promise<void> {
    this.#length = 0;
    this.#hash = createHash('sha256');
    this.#committed = undefined;
    await this.close();
  }

  /** Closes the file. Removes a file without committed rows, and an unpublished copy. */
  async close(): Promise<void> {
    const [handle, removed] = [this.#handle, this.#copy ?? (this.#committed ? null : this.#path)];
    this.#handle = undefined;
    this.#copy = undefined;
    // Removes the file only if no other run has replaced it.
    if (handle && removed !== null && (await isOpenAt(handle, removed))) await rm(removed, { force: true });
    await handle?.close();
  }
}
