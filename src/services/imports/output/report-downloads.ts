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

/** A report file of an import, and how many of its bytes are committed. */
export interface StoredReport {
  kind: ReportKind;
  file: string;
  bytes: number;
}

/** The format of the imported file. It is recorded before any report is written. */
const inputFormatOf = ({ formatJson }: Import): SourceFormat | undefined =>
  formatJson === null ? undefined : (JSON.parse(formatJson) as SourceFormat);

/** How the CSV of a report is written. */
function csvFormatOf(record: Import, kind: ReportKind, file: string): ReportFormat {
  const input = inputFormatOf(record);
  if (workbookPath(file) !== undefined || !input) return reportFormat(kind);
  // The reasons in a workbook may have any letter.
  return reportFormat(kind, isWorkbookName(file) ? { ...input, encoding: 'utf-8' } : input);
}

/** How a client gets the rejected rows where it doesn't say: as the imported file was. */
export const defaultRejectsFormat = (record: Import): TableFormat => (inputFormatOf(record)?.workbook ? 'xlsx' : 'csv');

/** The `Content-Type` of a report that is downloaded as CSV. */
export const csvTypeOf = (record: Import, kind: ReportKind): string =>
  `text/csv; charset=${csvFormatOf(record, kind, '').encoding}`;

/**
 * The committed rows of a report, whatever its file is.
 * @throws AppError `VALIDATION` where no workbook can have them, WorkbookProblem for a workbook that isn't the import's
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

/** The committed rows of a CSV report as a workbook. @throws TooLargeForWorkbook */
async function* workbookBytes({ kind, file, bytes }: StoredReport, format: ReportFormat): AsyncGenerator<Buffer> {
  const rows = csvRows(committedBytes(file, bytes), format);
  for await (const chunk of asWorkbook(rows, kind)) yield Buffer.from(chunk);
}

/** Creates an empty file for this user only. @returns false where there is one */
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
 * Writes the workbook of a CSV report whose name asks for one, beside it. No crash leaves a part of a workbook under its name.
 * @param otherwise what else helps where it can't be written
 * @returns nothing for a report that stays CSV: by its name, or because no workbook can have its rows
 * @throws AppError `FILE_UNUSABLE`
 */
export async function makeWorkbook(report: StoredReport, otherwise: string): Promise<StoredReport | undefined> {
  const target = workbookPath(report.file);
  if (target === undefined) return undefined;
  const part = `${target}.part`;
  try {
    // A killed run may have left one.
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
    // The first fault says more.
    await rm(part, { force: true }).catch(() => undefined);
    if (error instanceof TooLargeForWorkbook) return undefined;
    throw toUnusableError(target, error, otherwise);
  }
}

/** The committed bytes of a file that an import writes. */
async function* committedBytes(file: string, bytes: number): AsyncGenerator<Buffer> {
  // A stream without an encoding yields buffers.
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) yield chunk as Buffer;
}

/**
 * Where a file can be read that an import has written and that is sent over HTTP.
 * @param what the plural of what it has
 * @throws AppError `NOT_READY` when it can't be read here: it is not in the folder of the import, on another machine, or was moved
 */
export async function readableFile(core: Core, record: Import, named: string, what: string): Promise<string> {
  const file = await ownFile(core, record, named);
  if (file !== undefined && (await isReadable(file))) return file;
  throw new AppError(
    'NOT_READY',
    `The ${what} of this import are not where this instance of the service could read them.`,
  );
}

/** The committed rejected rows of an import over HTTP. @throws AppError `NOT_FOUND`, `NOT_READY` */
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
 * The committed rows of the rejects file of an import, for its operator at the terminal, who may have put it anywhere.
 * @param type as the file is, when absent
 * @throws AppError `NOT_FOUND` when there are none, `FILE_UNUSABLE` when the file can't be read here, `VALIDATION` where no workbook
 *   can have them
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
