import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { csvLine, markedHeader } from '../../csv/format.js';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, systemErrorCode, whyUnwritable } from '../../errors.js';
import { syncToDisk } from '../../storage/disk.js';

const header = markedHeader(['firstName', 'lastName', 'email', 'phone', 'password']);

/** @throws AppError `FILE_UNUSABLE` */
const unusable = (file: string, error: unknown) => {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const why = whyUnwritable(code, 'name another file, and run the command again');
  return new AppError('FILE_UNUSABLE', `The file ${file} ${why}.`, { cause: error });
};

/**
 * A new CSV file for generated passwords, which only this user can read. Each password is on the disk before its account has it,
 * so that none is lost. One whose account didn't get it may stay: then the database has failed, and it isn't known.
 */
export class PasswordFile {
  /** The length without a password whose change is still under way. */
  #settled = 0;
  #pending: { userId: string; bytes: number } | undefined;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws AppError `USAGE` for a file that exists, or can't be made */
  static async create(file: string): Promise<PasswordFile> {
    try {
      return new PasswordFile(file, await open(file, 'ax', 0o600));
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      const problem =
        code === 'EEXIST'
          ? 'exists already and is never overwritten. Name another one'
          : whyUnwritable(code, 'name another file');
      throw new AppError('USAGE', `The file ${file} ${problem}.`, { cause: error });
    }
  }

  /** Whether no password is in it. */
  get isEmpty(): boolean {
    return this.#settled <= Buffer.byteLength(header) && this.#pending === undefined;
  }

  /**
   * Writes a password, and waits until it is on the disk. Another one for the same account replaces it: then its transaction was
   * rolled back, and is repeated.
   * @throws AppError `FILE_UNUSABLE`
   */
  async keep({ id, firstName, lastName, email, phone }: User, password: string): Promise<void> {
    try {
      if (this.#pending && this.#pending.userId !== id) this.#settle();
      else if (this.#pending) await this.handle.truncate(this.#settled);
      if (this.#settled === 0) await this.#begin();
      const line = Buffer.from(csvLine([firstName, lastName, email, phone, password]));
      this.#pending = { userId: id, bytes: line.length };
      await this.handle.appendFile(line);
      await this.handle.sync();
      if ((await this.handle.stat()).nlink === 0)
        throw new AppError('FILE_UNUSABLE', `The file ${this.path} was removed. Run the command again.`);
    } catch (error) {
      // The change isn't committed now. Where the line can't be removed, there is one password too many.
      this.#pending = undefined;
      await this.handle.truncate(this.#settled).catch(() => undefined);
      throw unusable(this.path, error);
    }
  }

  #settle(): void {
    this.#settled += this.#pending?.bytes ?? 0;
    this.#pending = undefined;
  }

  async #begin(): Promise<void> {
    await this.handle.appendFile(header);
    await syncToDisk(path.dirname(this.path));
    this.#settled = Buffer.byteLength(header);
  }

  /** Closes the file, and removes one without passwords. */
  async close(): Promise<void> {
    await this.handle.close();
    if (this.isEmpty) await rm(this.path, { force: true });
  }
}
