import { isAppError } from '../../../../src/errors.js';
import { headerRules } from '../../../../src/services/imports/read/columns/header-rules.js';
import { type ReadOptions, readPeople } from '../../../../src/services/imports/read/import-file.js';
import { mapPeopleTable } from '../../../../src/services/imports/read/people-table.js';
import { type CsvOptions, openCsv } from '../../../../src/tables/csv/csv-source.js';
import type { SourceLimits, SourceRow } from '../../../../src/tables/table/table.js';

/** The bytes in chunks of the given sizes, the rest as one more. */
export async function* chunks(bytes: Buffer, sizes: Iterable<number> = []): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) return;
    yield bytes.subarray(at, at + size);
    at += size;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

/** The default limits. */
export const usualLimits: SourceLimits = { fieldBytes: 65_536, recordBytes: 1_048_576, columns: 256 };

/** UTF-8 with commas. */
export const usualFormat: CsvOptions = { encoding: 'utf-8', delimiter: ',' };

/** All rows of a text or of bytes, the header among them; none of a file that is empty. */
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

/** The people of a CSV file, as an import reads them. */
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
