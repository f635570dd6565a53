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

/** Returns the error `FILE_UNUSABLE` for an error of the file system, and other errors unchanged. */
const unusableFileError = (file: string, error: unknown) => {
  const code = systemErrorCode(error);
  if (code === undefined || isAppError(error)) return error;
  const why = writeFailureReason(code, 'name another file, and run the command again');
  return new AppError('FILE_UNUSABLE', `The file ${file} ${why}.`, { cause: error });
};

const existsAlready = 'exists already and is never overwritten. Name another one';

async function* readRows(file: string): AsyncGenerator<readonly string[]> {
  const rows: AsyncIterable<string[]> = createReadStream(file).pipe(parse({ bom: true, from_line: 2 }));
  for await (const row of rows) yield row.map(restoreCell);
}

/**
 * File for generated passwords that only this user can read. It is CSV until {@link close}, which converts it to a workbook if its
 * name ends in .xlsx. Each password is on disk before its account gets it, so that no password is lost. If the database fails, the
 * file may contain a password that never became valid.
 */
export class PasswordFile {
  /** Length in bytes without the password of an uncommitted change. */
  #committedLength = 0;
  #pending: { userId: string; bytes: number } | undefined;

  private constructor(
    readonly path: string,
    private readonly csv: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws AppError `USAGE` if the file exists or can't be created */
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

  get isEmpty(): boolean {
    return this.#committedLength <= Buffer.byteLength(header) && this.#pending === undefined;
  }

  /**
   * Writes a password to disk. A second password for the same account replaces the first one, whose transaction was rolled back
   * and is repeated.
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
      // The change won't be committed. If the line can't be removed, the file contains a password that isn't valid.
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

  /** Closes the file, and removes it if it is empty. @throws AppError `FILE_UNUSABLE` if the workbook can't be written */
  async close(): Promise<void> {
    await this.handle.close();
    if (this.isEmpty) await rm(this.csv, { force: true });
    else if (this.csv !== this.path) await this.#convertToWorkbook();
  }

  /** Writes the workbook before removing the CSV file: the passwords are always on disk in one of them. */
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
