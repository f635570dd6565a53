import { isAppError } from '../../errors.js';
import { phoneKey } from '../../schemas/fields.js';
import { type ImportedPerson, type ImportOptions, importedPersonSchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import { type ColumnMapping, fieldsOf, mapColumns } from './columns.js';
import { type CsvFormat, type CsvLimits, type CsvOptions, type CsvRow, openCsv } from './csv-source.js';
import { delimiterNames } from './delimiters.js';
import { KeyIndex } from './key-index.js';

/** Why a row wasn't imported, or was left alone: stable, for programs. */
export type RowCode = 'INVALID' | 'DUPLICATE_IN_FILE' | 'ACCOUNTS_DIFFER' | 'ALREADY_EXISTS';

/** A row that can become an account, as far as the file alone tells. */
export interface CandidateRow extends CsvRow {
  person: ImportedPerson;
}

/** A row that can't. */
export interface RejectedRow extends CsvRow {
  code: RowCode;
  reason: string;
}

export type FileRow = CandidateRow | RejectedRow;

export function isRejected(row: FileRow): row is RejectedRow {
  return 'code' in row;
}

/** How many rows are looked up, written and committed together. */
const batchRows = 500;

export interface ImportFile {
  format: CsvFormat;
  mapping: ColumnMapping;
  /** All rows in order, checked against the schema and each other, in batches of {@link batchRows}. */
  batches: AsyncGenerator<FileRow[]>;
  /** Lets go of the file, wherever reading has come to. */
  close(): Promise<void>;
}

function personOf(row: CsvRow, mapping: ColumnMapping, options: ImportOptions): ImportedPerson {
  const input = fieldsOf(row.cells, mapping);
  const [role, isActive] = [input.role?.trim() || options.role, input.isActive?.trim()];
  return { ...validate(importedPersonSchema, { ...input, role, isActive }) };
}

function checkedRow(
  row: CsvRow,
  { format, mapping }: Pick<ImportFile, 'format' | 'mapping'>,
  options: ImportOptions,
  emails: KeyIndex,
  phones: KeyIndex,
): FileRow {
  if (row.cells.length > mapping.width) {
    return {
      ...row,
      code: 'INVALID',
      reason: `The row has ${row.cells.length} fields, the header ${mapping.width}. Put fields that contain a ${delimiterNames[format.delimiter]} in quotes.`,
    };
  }
  try {
    const person = personOf(row, mapping, options);
    const sameEmail = emails.firstLine(person.email, row.line);
    const samePhone = phones.firstLine(phoneKey(person.phone), row.line);
    const earlier = [
      sameEmail && `Email stands on line ${sameEmail} already.`,
      samePhone && `Phone stands on line ${samePhone} already.`,
    ].filter(Boolean);
    return earlier.length > 0 ? { ...row, code: 'DUPLICATE_IN_FILE', reason: earlier.join(' ') } : { ...row, person };
  } catch (error) {
    if (!isAppError(error, 'VALIDATION')) throw error;
    return { ...row, code: 'INVALID', reason: error.message };
  }
}

async function* inBatches(
  rows: AsyncGenerator<CsvRow[]>,
  file: Pick<ImportFile, 'format' | 'mapping'>,
  options: ImportOptions,
): AsyncGenerator<FileRow[]> {
  const [emails, phones] = [new KeyIndex(), new KeyIndex()];
  let batch: FileRow[] = [];
  for await (const some of rows)
    for (const row of some) {
      batch.push(checkedRow(row, file, options, emails, phones));
      if (batch.length < batchRows) continue;
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}

/**
 * Opens a file of people.
 * @throws AppError `IMPORT_FILE_INVALID` for a header that can't be used, `USAGE` for mappings that it doesn't bear; the
 * batches throw `IMPORT_FILE_INVALID` for the rest
 */
export async function openImportFile(
  bytes: AsyncIterable<Buffer>,
  options: ImportOptions,
  reading: CsvOptions,
  limits: CsvLimits,
): Promise<ImportFile> {
  const { header, format, rows, close } = await openCsv(bytes, reading, limits);
  try {
    const mapping = mapColumns(header, options.map);
    return { format, mapping, batches: inBatches(rows, { format, mapping }, options), close };
  } catch (error) {
    await close();
    throw error;
  }
}
