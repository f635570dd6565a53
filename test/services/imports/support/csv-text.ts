import { isAppError } from '../../../../src/errors.js';
import { headerRules } from '../../../../src/services/imports/read/columns/header-rules.js';
import { type ReadOptions, readPeople } from '../../../../src/services/imports/read/import-file.js';
import { mapPeopleTable } from '../../../../src/services/imports/read/people-table.js';
import { type CsvOptions, openCsv } from '../../../../src/tables/csv/csv-source.js';
import type { SourceLimits, SourceRow } from '../../../../src/tables/table/table.js';

/** Yields the bytes in chunks of the given sizes, and the rest as one more chunk. */
export async function* chunks(bytes: Buffer, sizes: Iterable<number> = []): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

export const usualLimits: SourceLimits = { fieldBytes: 65_536, recordBytes: 1_048_576, columns: 256 };

export const usualFormat: CsvOptions = { encoding: 'utf-8', delimiter: ',' };

/** Reads all rows of a text or of bytes, including the header; none for an empty file. */
export async function rowsOf(
  source: string | Buffer,
  sizes: Iterable<number> = [],
  options: Partial<CsvOptions> = {},
  limits: SourceLimits = usualLimits,
): Promise<SourceRow[]> {
  const file = await openCsv(
    chunks(Buffer.from(source), sizes),
    { ...usualFormat, ...options },
    limits,
    headerRules(),
  ).catch((error: unknown) => {
    if (isAppError(error) && error.message === 'The file is empty.') return undefined;
    throw error;
  });
  if (file === undefined) return [];
  const all: SourceRow[] = [{ line: file.headerLine, cells: file.header }];
  for await (const rows of file.rows) all.push(...rows);
  return all;
}

/** Opens a CSV file of people as an import does. */
export const openPeople = async (
  source: AsyncIterable<Buffer>,
  { format = usualFormat, ...reading }: Partial<ReadOptions> & { format?: CsvOptions } = {},
) =>
  readPeople(
    await mapPeopleTable(
      await openCsv(source, format, usualLimits, headerRules(reading.options)),
      reading.options ?? {},
    ),
    { options: {}, policy: () => undefined, ...reading },
    500,
  );
