import type { Delimiter, Encoding } from '../../schemas/file-format.js';
import { decodeToUtf8 } from '../encoding/encodings.js';
import { FileProblem } from '../encoding/source-file.js';
import type { HeaderRules, SourceLimits, SourceRow, TableWarning } from '../table/table.js';
import { firstRowCount, readAhead, rowsAfter, type SourceTable, sumLengths } from '../table/table.js';
import { delimiterSampleBytes, detectDelimiter, type Preamble, readPreamble } from './delimiters.js';
import { areLinesWrapped, quoteFormulas, unwrapLines, unwrapText } from './line-rewrites.js';
import { RowReader } from './row-reader.js';

export interface CsvOptions {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/**
 * Opens a CSV file as a stream of rows: memory doesn't grow with the file.
 * @param source bytes of the file
 * @throws AppError `IMPORT_FILE_INVALID` if the file has no header
 */
export async function openCsv(
  source: AsyncIterable<Buffer>,
  { encoding, delimiter: wanted }: CsvOptions,
  limits: SourceLimits,
  rules: HeaderRules,
): Promise<SourceTable> {
  const text = decodeToUtf8(encoding, source);
  let reader: RowReader | undefined;
  const close = async () => {
    reader?.close();
    await text.return(undefined);
  };
  try {
    const head = await readAhead(text, (parts) => sumLengths(parts) > delimiterSampleBytes);
    const start = Buffer.concat(head.first);
    const preamble = readPreamble(start);
    const { length, byteOrderMark, sepLine } = preamble;
    const sample = start.subarray(length, length + delimiterSampleBytes);
    const isWhole = head.isWhole && start.length === length + sample.length;
    const isWrapped = areLinesWrapped(sample, isWhole);
    const delimiter =
      wanted === 'auto' ? chooseDelimiter(preamble, isWrapped ? unwrapText(sample) : sample, isWhole, rules) : wanted;
    reader = new RowReader(delimiter, sepLine ? 2 : 1, limits, rules);
    const table = bytesAfter(head.all, length);
    const lines = isWrapped ? unwrapLines(table, limits.recordBytes) : table;
    const { first, all } = await readAhead(
      rowsOf(quoteFormulas(lines, delimiter, limits.recordBytes), reader),
      (lists) => sumLengths(lists) > firstRowCount,
    );
    const rows = first.flat();
    const version = rows[0] && isVersionLine(rows[0].cells) ? rows[0] : undefined;
    const header = version ? rows[1] : rows[0];
    if (header === undefined) {
      // Throws the error of a source that failed before the header: the error says more than "empty".
      for await (const _ of all);
      throw new FileProblem('NO_ROWS', 'The file is empty.');
    }
    return {
      format: { encoding, delimiter, byteOrderMark, sepLine, workbook: null },
      warnings: [...(isWrapped ? [wrappedLines] : []), ...(version ? [versionLine(version)] : [])],
      header: header.cells.map((cell) => cell.replaceAll('\ufeff', '')),
      headerLine: header.line,
      hiddenColumns: [],
      first: rows.slice(version ? 2 : 1),
      rows: rowsAfter(all, header.line),
      lines: () => reader?.lastLine ?? 0,
      mergedLines: () => [],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function chooseDelimiter({ sepLine, named }: Preamble, table: Buffer, isWhole: boolean, rules: HeaderRules): Delimiter {
  if (!sepLine) return detectDelimiter(table, isWhole, rules);
  if (named === undefined)
    throw new FileProblem(
      'DELIMITER_UNKNOWN',
      'Line 1 names a delimiter that is not known: it may be a comma, a semicolon, a tab or a pipe. Correct it, or name the delimiter with --delimiter.',
    );
  return named;
}

async function* bytesAfter(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of chunks) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

const wrappedLines: TableWarning = {
  code: 'LINES_QUOTED',
  message: 'Each line of the file is in quotes as a whole. The quotes were removed.',
};

/** Whether a line states the version of a template, such as `version:v1.0`. The line is above the header. */
function isVersionLine([first = '', ...others]: readonly string[]): boolean {
  return (
    /^\s*version\s*[:=]?\s*v?\d+(\.\d+)*\s*$/i.test(first.slice(0, 100)) && others.every((cell) => cell.trim() === '')
  );
}

const versionLine = ({ line, cells: [first = ''] }: SourceRow): TableWarning => ({
  code: 'VERSION_LINE',
  message: `Line ${line}, "${first.trim()}", is not imported: the header follows it.`,
});

async function* rowsOf(table: AsyncIterable<Buffer>, reader: RowReader): AsyncGenerator<SourceRow[]> {
  try {
    for await (const bytes of table) yield* yieldRows(await reader.read(bytes));
    yield* yieldRows(await reader.read());
  } finally {
    reader.close();
  }
}

function* yieldRows({ rows, fault }: { rows: SourceRow[]; fault?: unknown }): Generator<SourceRow[]> {
  if (rows.length > 0) yield rows;
  if (fault !== undefined) throw fault;
}
