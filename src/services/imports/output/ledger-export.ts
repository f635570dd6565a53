import { createReadStream } from 'node:fs';
import type { CsvFormat } from '../../../csv/format.js';
import { credentialsFormat, type ReportFormat, rejectsFormat } from '../../../csv/format.js';
import type { Import } from '../../../db/models/import.js';
import { AppError, notFound, systemErrorCode } from '../../../errors.js';
import type { Table, TableColumn, TableRow } from '../../../workbook/table.js';
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

const columns: readonly TableColumn[] = ledgerHeader.map((heading) => ({ heading, isText: heading === 'phone' }));

function ledgerRow({ row, firstName, lastName, email, phone }: LedgerLine): TableRow {
  const outcome = [row.line, row.outcome, row.code, row.reason, row.userId];
  return [...outcome, firstName, lastName, email, phone, row.undoOutcome, row.undoCode];
}

/**
 * The ledger of an import, with the accounts as they are now.
 * @throws AppError `IMPORT_CONFLICT` when the ledger was deleted; its `next`, when that was meanwhile: then some rows would be
 *   missing
 */
export function ledgerTable(core: Core, record: Import): Table {
  const { id } = record;
  assertLedgerReadable(record);
  let after = 0;
  return {
    sheet: 'Rows',
    columns,
    async next() {
      const lines = await ledgerAfter(core, id, after);
      after = lines.at(-1)?.row.line ?? after;
      if (lines.length > 0) return lines.map(ledgerRow);
      const now = await core.database.read(() => core.database.models.Import.findByPk(id));
      if (now) assertLedgerReadable(now);
      return undefined;
    },
  };
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
