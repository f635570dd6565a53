import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Import } from '../../../db/models/import.js';
import { AppError, isAppError, notFound, systemErrorCode } from '../../../errors.js';
import { isWorkbookName, type TableFormat } from '../../../schemas/table-format.js';
import { syncToDisk } from '../../../storage/disk.js';
import type { SourceFormat } from '../../../tables/table/table.js';
import { WorkbookProblem } from '../../../tables/workbook/problem.js';
import { encodeText, type ReportFormat } from '../../../tables/write/csv.js';
import { TooLargeForWorkbook } from '../../../tables/write/limits.js';
import type { Core } from '../../core.js';
import { resultOf } from '../store/repository.js';
import { isReadable, ownFile } from '../store/spool.js';
import { toUnusableError } from './report-file.js';
import {
  asCsv,
  asWorkbook,
  csvRows,
  numberedPaths,
  type ReportKind,
  reportFormat,
  sheetRows,
  workbookPath,
} from './report-workbook.js';

/** A report file of an import, and the number of its committed bytes. */
export interface StoredReport {
  kind: ReportKind;
  file: string;
  bytes: number;
}

/** Returns the format of the imported file. It is recorded before any report is written. */
const inputFormatOf = ({ formatJson }: Import): SourceFormat | undefined =>
  formatJson === null ? undefined : (JSON.parse(formatJson) as SourceFormat);

function csvFormatOf(record: Import, kind: ReportKind, file: string): ReportFormat {
  const input = inputFormatOf(record);
  if (workbookPath(file) !== undefined || !input) return reportFormat(kind);
  // Reasons in a workbook may contain any letters.
  return reportFormat(kind, isWorkbookName(file) ? { ...input, encoding: 'utf-8' } : input);
}

/** Returns the default format for downloading rejected rows: that of the imported file. */
export const defaultRejectsFormat = (record: Import): TableFormat => (inputFormatOf(record)?.workbook ? 'xlsx' : 'csv');

/** Returns the `Content-Type` of a report that is downloaded as CSV. */
export const csvTypeOf = (record: Import, kind: ReportKind): string =>
  `text/csv; charset=${csvFormatOf(record, kind, '').encoding}`;

/**
 * Yields the committed rows of a report in the requested format.
 * @throws AppError `VALIDATION` if the rows are too large for a workbook; WorkbookProblem if the workbook was changed
 */
export async function* reportBytes(
  record: Import,
  { kind, file, bytes }: StoredReport,
  type: TableFormat,
): AsyncGenerator<Buffer> {
  const format = csvFormatOf(record, kind, file);
  const isWorkbook = isWorkbookName(file);
  if (isWorkbook && (await stat(file)).size !== bytes) throw new WorkbookProblem('DAMAGED', 'it was changed since');
  if (isWorkbook === (type === 'xlsx')) yield* committedBytes(file, bytes);
  else if (isWorkbook) for await (const text of asCsv(sheetRows(file), format)) yield encodeText(text, format.encoding);
  else yield* workbookBytes({ kind, file, bytes }, format);
}

/** Converts the committed rows of a CSV report to a workbook. @throws TooLargeForWorkbook */
async function* workbookBytes({ kind, file, bytes }: StoredReport, format: ReportFormat): AsyncGenerator<Buffer> {
  const rows = csvRows(committedBytes(file, bytes), format);
  for await (const chunk of asWorkbook(rows, kind)) yield Buffer.from(chunk);
}

/** Creates an empty file, accessible to this user only. @returns false if the file exists */
async function reserve(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Writes the workbook of a CSV report next to the report, if the report's name ends in `.xlsx.csv`. A crash never leaves an
 * incomplete workbook under the final name.
 * @param otherwise alternative for the operator if the workbook can't be written
 * @returns undefined for a report that stays CSV, because of its name or because its rows are too large for a workbook
 * @throws AppError `FILE_UNUSABLE`
 */
export async function makeWorkbook(report: StoredReport, otherwise: string): Promise<StoredReport | undefined> {
  const target = workbookPath(report.file);
  if (target === undefined) return undefined;
  const part = `${target}.part`;
  try {
    // A killed run may have left this file.
    await rm(part, { force: true });
    const handle = await open(part, 'ax', 0o600);
    try {
      for await (const chunk of workbookBytes(report, reportFormat(report.kind))) await handle.appendFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const { size: bytes } = await stat(part);
    for (const file of numberedPaths(target)) {
      if (!(await reserve(file))) continue;
      await rename(part, file);
      await syncToDisk(path.dirname(file));
      return { ...report, file, bytes };
    }
    return undefined;
  } catch (error) {
    // The first error says more than an error of the cleanup.
    await rm(part, { force: true }).catch(() => undefined);
    if (error instanceof TooLargeForWorkbook) return undefined;
    throw toUnusableError(target, error, otherwise);
  }
}

async function* committedBytes(file: string, bytes: number): AsyncGenerator<Buffer> {
  // Streams without an encoding yield buffers.
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) yield chunk as Buffer;
}

/**
 * Returns the real path of a report file that is sent over HTTP.
 * @param what contents of the file, in the plural
 * @throws AppError `NOT_READY` if the file can't be read here: it is outside of the import's folder, on another machine, or
 *   was moved
 */
export async function readableFile(core: Core, record: Import, named: string, what: string): Promise<string> {
  const file = await ownFile(core, record, named);
  if (file !== undefined && (await isReadable(file))) return file;
  throw new AppError('NOT_READY', `This instance of the service can't read the ${what} of this import.`);
}

/** Opens the committed rejected rows of an import for HTTP. @throws AppError `NOT_FOUND`, `NOT_READY` */
export async function openRejects(
  core: Core,
  record: Import,
  type: TableFormat,
): Promise<() => AsyncGenerator<Buffer>> {
  if (record.rejectsFile === null || !record.hasRejects) throw notFound('Rejected rows');
  const file = await readableFile(core, record, record.rejectsFile, 'rejected rows');
  return () => reportBytes(record, { kind: 'rejects', file, bytes: Number(record.rejectsBytes) }, type);
}

/**
 * Yields the committed rows of the rejects file of an import for the operator at the terminal. The file may be in any folder.
 * @param type format; by default that of the file
 * @throws AppError `NOT_FOUND` if no row was rejected, `FILE_UNUSABLE` if the file can't be read here, `VALIDATION` if
 *   the rows are too large for a workbook
 */
export async function* rejectedRows(record: Import, type?: TableFormat): AsyncGenerator<Buffer> {
  const { number, ledgerClosedAt } = record;
  const { rejectsFile: file } = resultOf(record);
  if (file === null) throw new AppError('NOT_FOUND', `The import ${number} has rejected no rows.`);
  try {
    const report = { kind: 'rejects', file, bytes: Number(record.rejectsBytes) } as const;
    yield* reportBytes(record, report, type ?? (isWorkbookName(file) ? 'xlsx' : 'csv'));
  } catch (error) {
    const why = error instanceof WorkbookProblem ? error.message : systemErrorCode(error);
    if (why === undefined || isAppError(error)) throw error;
    const ledger =
      ledgerClosedAt === null ? `coursectl imports export ${number}` : 'the folder "retention" of DATA_DIR';
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${file} with the rejected rows can't be read (${why}). What became of each row: ${ledger}`,
      { cause: error },
    );
  }
}
