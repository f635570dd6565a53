import { createReadStream } from 'node:fs';
import type { CsvFormat } from '../../../csv/format.js';
import { credentialsFormat, csvLine, markedHeader, type ReportFormat, rejectsFormat } from '../../../csv/format.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound, systemErrorCode } from '../../../errors.js';
import type { Core } from '../../core.js';
import { assertLedgerReadable, type LedgerLine, ledgerAfter } from '../store/ledger.js';
import { resultOf } from '../store/repository.js';
import { isReadable, ownFile } from '../store/spool.js';

const ledgerHeader = [
  'line',
  'outcome',
  'code',
  'reason',
  'userId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'undo',
  'undoCode',
];

function ledgerLine({ row, firstName, lastName, email, phone }: LedgerLine): string {
  const outcome = [String(row.line), row.outcome, row.code, row.reason, row.userId];
  const cells = [...outcome, firstName, lastName, email, phone, row.undoOutcome, row.undoCode];
  return csvLine(cells.map((cell) => cell ?? ''));
}

async function nextLines(core: Core, id: string, after: number): Promise<{ text: string; last: number | undefined }> {
  const lines = await ledgerAfter(core, id, after);
  return { text: lines.map(ledgerLine).join(''), last: lines.at(-1)?.row.line };
}

/**
 * The ledger of an import as CSV in chunks, with the accounts as they are now. While it waits for its client it keeps the
 * text of a chunk, not its rows.
 * @throws AppError `IMPORT_CONFLICT` when the ledger was deleted, also meanwhile: then some rows would be missing
 */
export async function* ledgerCsv(core: Core, record: Import): AsyncGenerator<string> {
  const { id } = record;
  assertLedgerReadable(record);
  let header = markedHeader(ledgerHeader);
  for (let after = 0; ; ) {
    const { text, last } = await nextLines(core, id, after);
    if (last === undefined) break;
    yield header + text;
    header = '';
    after = last;
  }
  const now = await core.database.read(() => core.database.models.Import.findByPk(id));
  if (now) assertLedgerReadable(now);
  yield header;
}

/** The `Content-Type` of the files that an import has written. */
export function reportTypes({ formatJson }: Import): { rejects: string; credentials: string } {
  // The format is recorded before any file is written.
  const input = formatJson === null ? undefined : (JSON.parse(formatJson) as CsvFormat);
  const type = (format: ReportFormat | undefined) => `text/csv; charset=${format?.encoding ?? 'utf-8'}`;
  return { rejects: type(input && rejectsFormat(input)), credentials: type(input && credentialsFormat(input)) };
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
export async function openRejects(core: Core, record: Import): Promise<() => AsyncGenerator<Buffer>> {
  if (record.rejectsFile === null || !record.hasRejects) throw notFound('Rejected rows');
  const file = await readableFile(core, record, record.rejectsFile, 'rejected rows');
  return () => committedBytes(file, Number(record.rejectsBytes));
}

/** The committed bytes of a file that an import writes. */
export async function* committedBytes(file: string, bytes: number): AsyncGenerator<Buffer> {
  // A stream without an encoding yields buffers.
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) yield chunk as Buffer;
}

/**
 * The committed rows of the rejects file of an import, for its operator at the terminal, who may have put it anywhere.
 * @throws AppError `NOT_FOUND` when there are none, `FILE_UNUSABLE` when the file can't be read here
 */
export async function* rejectedCsv(record: Import): AsyncGenerator<Buffer> {
  const { number, ledgerClosedAt } = record;
  const { rejectsFile } = resultOf(record);
  if (rejectsFile === null) throw new AppError('NOT_FOUND', `The import ${number} has rejected no rows.`);
  try {
    yield* committedBytes(rejectsFile, Number(record.rejectsBytes));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    const ledger =
      ledgerClosedAt === null ? `coursectl imports export ${number}` : 'the folder "retention" of DATA_DIR';
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${rejectsFile} with the rejected rows can't be read (${systemErrorCode(error)}). What became of each row: ${ledger}`,
      { cause: error },
    );
  }
}
