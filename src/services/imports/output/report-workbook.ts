import path from 'node:path';
import { isWorkbookName } from '../../../schemas/table-format.js';
import { openCsv } from '../../../tables/csv/csv-source.js';
import { openWorkbook } from '../../../tables/workbook/open-workbook.js';
import { restoreProtected } from '../../../tables/write/cells.js';
import {
  type CsvFormat,
  credentialsFormat,
  headerText,
  type ReportFormat,
  rejectsFormat,
  reportLine,
} from '../../../tables/write/csv.js';
import { maxColumns } from '../../../tables/write/limits.js';
import { xlsxBytes } from '../../../tables/write/xlsx.js';
import { headerRules } from '../read/columns/header-rules.js';

export type ReportKind = 'credentials' | 'rejects';

/** Yields a path, and alternatives in case it exists: `people.csv`, `people-2.csv`, ... */
export const numberedPaths = (file: string): Iterable<string> => ({
  *[Symbol.iterator]() {
    const { dir, name, ext } = path.parse(file);
    yield file;
    for (let number = 2; ; number += 1) yield path.join(dir, `${name}-${number}${ext}`);
  },
});

/** Returns the path of a report until the import ends. A workbook is first written as `people.rejected.xlsx.csv`. */
export const runningPath = (file: string) => (isWorkbookName(file) ? `${file}.csv` : file);

/** Returns the path of the workbook that a report becomes at the end; undefined for a report that stays CSV. */
export const workbookPath = (file: string): string | undefined => /^(.*\.xlsx)\.csv$/is.exec(file)?.[1];

const sheetNames: Readonly<Record<ReportKind, string>> = { credentials: 'Passwords', rejects: 'Rejected rows' };

const plainInput = { encoding: 'utf-8', delimiter: ',', sepLine: false } as const;

/**
 * Returns the layout of a report as CSV.
 * @param input format of the imported file; absent if the report becomes a workbook, whose CSV needn't match the input
 */
export function reportFormat(kind: ReportKind, input: Omit<CsvFormat, 'byteOrderMark'> = plainInput): ReportFormat {
  return kind === 'rejects' ? rejectsFormat(input) : credentialsFormat(input);
}

/** Limits for reports, which have longer cells and more columns than imported rows. */
const limits = { fieldBytes: 2 ** 28, recordBytes: 2 ** 28, columns: maxColumns };

/** Yields the header and the rows of a CSV report with their original texts. */
export async function* csvRows(bytes: AsyncIterable<Buffer>, format: ReportFormat): AsyncGenerator<string[]> {
  const { header, rows, close } = await openCsv(bytes, format, limits, headerRules());
  try {
    yield header;
    for await (const list of rows)
      for (const { cells } of list) yield format.isProtected ? cells.map(restoreProtected) : cells;
  } finally {
    await close();
  }
}

/** Yields the header and the rows of a report that is a workbook. @throws WorkbookProblem */
export async function* sheetRows(file: string): AsyncGenerator<string[]> {
  const workbook = await openWorkbook(file);
  try {
    for await (const rows of workbook.rows(0)) for (const { cells } of rows) yield cells;
  } finally {
    workbook.close();
  }
}

/**
 * Writes a report as a workbook. Values that people enter later are stored as text, so phones keep their zeros.
 * @throws TooLargeForWorkbook
 */
export async function* asWorkbook(rows: AsyncGenerator<string[]>, kind: ReportKind): AsyncGenerator<Uint8Array> {
  // TypeScript doesn't know that this generator returns nothing.
  const { value: header = [] } = (await rows.next()) as IteratorResult<string[], undefined>;
  yield* xlsxBytes({
    sheet: sheetNames[kind],
    columns: header.map((heading) => ({ heading, isText: true })),
    rows,
  });
}

export async function* asCsv(rows: AsyncIterable<string[]>, format: ReportFormat): AsyncGenerator<string> {
  let isHeader = true;
  for await (const cells of rows) {
    yield isHeader ? headerText(cells, format) : reportLine(cells, format);
    isHeader = false;
  }
}
