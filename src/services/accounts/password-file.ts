import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, systemErrorCode, undefinedIfMissing, writeFailureReason } from '../../errors.js';
import { isWorkbookName } from '../../schemas/table-format.js';
import { syncToDisk } from '../../storage/disk.js';
import { restoreCell } from '../../tables/write/cells.js';
import { csvLine, headerWithByteOrderMark } from '../../tables/write/csv.js';
import { xlsxBytes } from '../../tables/write/xlsx.js';

const headings = ['firstName', 'lastName', 'email', 'phone', 'password'];
const header = headerWithByteOrderMark(headings);

/** @throws AppError `FILE_UNUSABLE` */
const unusableFileError = (file: string, error: unknown) => {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const why = writeFailureReason(code, 'name another file, and run the command again');
  return new AppError('FILE_UNUSABLE', `The file ${file} ${why}.`, { cause: error });
};

const existsAlready = 'exists already and is never overwritten. Name another one';

/** The rows of a file that {@link PasswordFile} has written. */
async function* readRows(file: string): AsyncGenerator<readonly string[]> {
  const rows: AsyncIterable<string[]> = createReadStream(file).pipe(parse({ bom: true, from_line: 2 }));
  for await (const row of rows) yield row.map(restoreCell);
}

/**
 * A new file for generated passwords, which only this user can read: CSV, and in the end a workbook where its name says so. Each
 * password is on the disk before its account has it, so that none is lost. One whose account didn't get it may stay: then the
 * database has failed, and it isn't known.
 */
export class PasswordFile {
  /** The length without a password whose change is still under way. */
  #committedLength = 0;
  #pending: { userId: string; bytes: number } | undefined;

  private constructor(
    readonly path: string,
    private readonly csv: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws AppError `USAGE` for a file that exists, or can't be made */
  static async create(file: string): Promise<PasswordFile> {
    const isWorkbook = isWorkbookName(file);
    const csv = isWorkbook ? file.replace(/xlsx$/i, 'csv') : file;
    try {
      if (isWorkbook && (await undefinedIfMissing(lstat(file))))
        throw new AppError('USAGE', `The file ${file} ${existsAlready}.`);
      return new PasswordFile(file, csv, await open(csv, 'ax', 0o600));
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined || isAppError(error)) throw error;
      const problem = code === 'EEXIST' ? existsAlready : writeFailureReason(code, 'name another file');
      throw new AppError('USAGE', `The file ${csv} ${problem}.`, { cause: error });
    }
  }

  /** Whether no password is in it. */
  get isEmpty(): boolean {
    return this.#committedLength <= Buffer.byteLength(header) && this.#pending === undefined;
  }

  /**
   * Writes a password, and waits until it is on the disk. Another one for the same account replaces it: then its transaction was
   * rolled back, and is repeated.
   * @throws AppError `FILE_UNUSABLE`
   */
  async save({ id, firstName, lastName, email, phone }: User, password: string): Promise<void> {
    try {
      if (this.#pending && this.#pending.userId !== id) this.#commitPending();
      else if (this.#pending) await this.handle.truncate(this.#committedLength);
      if (this.#committedLength === 0) await this.#writeHeader();
      const line = Buffer.from(csvLine([firstName, lastName, email, phone, password]));
      this.#pending = { userId: id, bytes: line.length };
      await this.handle.appendFile(line);
      await this.handle.sync();
      if ((await this.handle.stat()).nlink === 0)
        throw new AppError('FILE_UNUSABLE', `The file ${this.csv} was removed. Run the command again.`);
    } catch (error) {
      // The change isn't committed now. Where the line can't be removed, there is one password too many.
      this.#pending = undefined;
      await this.handle.truncate(this.#committedLength).catch(() => undefined);
      throw unusableFileError(this.csv, error);
    }
  }

  #commitPending(): void {
    this.#committedLength += this.#pending?.bytes ?? 0;
    this.#pending = undefined;
  }

  async #writeHeader(): Promise<void> {
    await this.handle.appendFile(header);
    await syncToDisk(path.dirname(this.path));
    this.#committedLength = Buffer.byteLength(header);
  }

  /** Closes the file, and removes one without passwords. @throws AppError `FILE_UNUSABLE` where no workbook can be made of it */
  async close(): Promise<void> {
    await this.handle.close();
    if (this.isEmpty) await rm(this.csv, { force: true });
    else if (this.csv !== this.path) await this.#convertToWorkbook();
  }

  /** The passwords are on the disk in one of the files at any time. */
  async #convertToWorkbook(): Promise<void> {
    const columns = headings.map((heading) => ({ heading, isText: true }));
    let workbook: FileHandle | undefined;
    try {
      workbook = await open(this.path, 'ax', 0o600);
      for await (const bytes of xlsxBytes({ sheet: 'Passwords', columns, rows: readRows(this.csv) }))
        await workbook.appendFile(bytes);
      await workbook.sync();
      await workbook.close();
      await syncToDisk(path.dirname(this.path));
    } catch (error) {
      await workbook?.close();
      if (workbook) await rm(this.path, { force: true });
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      const why = writeFailureReason(code, `take the passwords from ${this.csv}`);
      throw new AppError('FILE_UNUSABLE', `The file ${this.path} ${why}.`, { cause: error });
    }
    await rm(this.csv, { force: true });
  }
}
