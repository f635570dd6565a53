import { type CsvRow, readCsv } from '../../src/services/imports/csv-source.js';

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

/** All rows of a text or of bytes. */
export async function rowsOf(source: string | Buffer, sizes: Iterable<number> = []): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of readCsv(chunks(Buffer.from(source), sizes))) rows.push(row);
  return rows;
}
