import type { CsvFormat } from '../../../../csv/format.js';
import type { Delimiter, Encoding } from '../../../../schemas/import.js';
import { decodedAs } from '../encoding/encodings.js';
import { FileProblem } from '../encoding/source-file.js';
import type { RowWarning } from '../fields/warnings.js';
import { delimiterSampleBytes, detectDelimiter, type Preamble, readPreamble } from './delimiters.js';
import { areLinesWrapped, quotedFormulas, unwrapped, unwrappedLines } from './line-rewrites.js';
import { type CsvLimits, type CsvRow, RowReader } from './row-reader.js';

/** How to read a file. */
export interface CsvOptions {
  encoding: Encoding;
  delimiter: Delimiter | 'auto';
}

/** An open file whose header was read. */
export interface CsvFile {
  format: CsvFormat;
  /** The cells of the first record that has any content. */
  header: string[];
  headerLine: number;
  /** What was taken off, or left out, above and around the table. */
  warnings: readonly RowWarning[];
  /** The first rows, up to one that can't be read: they show what the columns are. */
  first: readonly CsvRow[];
  /**
   * The rows below the header, in one list for each chunk of the source; blank rows are left out. After the rows before
   * it, a fault throws `IMPORT_FILE_INVALID` with the line.
   */
  rows: AsyncGenerator<CsvRow[]>;
  /** Lines up to the last row, once all rows were read. */
  lines(): number;
  /** Closes the source, even when not all rows were read. */
  close(): Promise<void>;
}

/** The first parts of a source until they are enough, and all parts again: an error follows the parts before it. */
async function readAhead<Part>(source: AsyncGenerator<Part>, isEnough: (first: readonly Part[]) => boolean) {
  const first: Part[] = [];
  let end: { error?: unknown } | undefined;
  try {
    while (end === undefined && !isEnough(first)) {
      const next = await source.next();
      if (next.done) end = {};
      else first.push(next.value);
    }
  } catch (error) {
    end = { error };
  }
  async function* all() {
    yield* first;
    if (end === undefined) yield* source;
    else if ('error' in end) throw end.error;
  }
  return { first, isWhole: end !== undefined && !('error' in end), all: all() };
}

const totalLength = (parts: readonly { length: number }[]) => parts.reduce((sum, { length }) => sum + length, 0);

/** Rows that decide what the columns are. */
const firstRowCount = 200;

/**
 * Reads a file as a stream: memory doesn't grow with it.
 * @param source its bytes
 * @throws AppError `IMPORT_FILE_INVALID` for a file without a header
 */
export async function openCsv(
  source: AsyncIterable<Buffer>,
  { encoding, delimiter: wanted }: CsvOptions,
  limits: CsvLimits,
): Promise<CsvFile> {
  const text = decodedAs(encoding, source);
  let reader: RowReader | undefined;
  const close = async () => {
    reader?.close();
    await text.return(undefined);
  };
  try {
    const head = await readAhead(text, (parts) => totalLength(parts) > delimiterSampleBytes);
    const start = Buffer.concat(head.first);
    const preamble = readPreamble(start);
    const { length, byteOrderMark, sepLine } = preamble;
    const sample = start.subarray(length, length + delimiterSampleBytes);
    const isWhole = head.isWhole && start.length === length + sample.length;
    const isWrapped = areLinesWrapped(sample, isWhole);
    const delimiter =
      wanted === 'auto' ? delimiterOf(preamble, isWrapped ? unwrapped(sample) : sample, isWhole) : wanted;
    reader = new RowReader(delimiter, sepLine ? 2 : 1, limits);
    const table = bytesAfter(head.all, length);
    const lines = isWrapped ? unwrappedLines(table, limits.recordBytes) : table;
    const { first, all } = await readAhead(
      rowsOf(quotedFormulas(lines, delimiter, limits.recordBytes), reader),
      (lists) => totalLength(lists) > firstRowCount,
    );
    const rows = first.flat();
    const version = rows[0] && isVersionLine(rows[0].cells) ? rows[0] : undefined;
    const header = version ? rows[1] : rows[0];
    if (header === undefined) {
      // There may be a fault before it.
      for await (const _ of all);
      throw new FileProblem('NO_ROWS', 'The file is empty.');
    }
    return {
      format: { encoding, delimiter, byteOrderMark, sepLine },
      warnings: [...(isWrapped ? [wrappedLines] : []), ...(version ? [versionLine(version)] : [])],
      header: header.cells.map((cell) => cell.replaceAll('\ufeff', '')),
      headerLine: header.line,
      first: rows.slice(version ? 2 : 1),
      rows: rowsAfter(all, header.line),
      lines: () => reader?.lastLine ?? 0,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function delimiterOf({ sepLine, named }: Preamble, table: Buffer, isWhole: boolean): Delimiter {
  if (!sepLine) return detectDelimiter(table, isWhole);
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

async function* rowsAfter(lists: AsyncIterable<CsvRow[]>, line: number): AsyncGenerator<CsvRow[]> {
  for await (const list of lists) {
    const below = list.filter((row) => row.line > line);
    if (below.length > 0) yield below;
  }
}

const wrappedLines: RowWarning = {
  code: 'LINES_QUOTED',
  field: null,
  message: 'Each line of the file is in quotes as a whole: they were taken off.',
};

/** A line above the header that says the version of a template, such as `version:v1.0`. */
function isVersionLine([first = '', ...others]: readonly string[]): boolean {
  return (
    /^\s*version\s*[:=]?\s*v?\d+(\.\d+)*\s*$/i.test(first.slice(0, 100)) && others.every((cell) => cell.trim() === '')
  );
}

const versionLine = ({ line, cells: [first = ''] }: CsvRow): RowWarning => ({
  code: 'VERSION_LINE',
  field: null,
  message: `Line ${line}, "${first.trim()}", is not imported: the header follows it.`,
});

async function* rowsOf(table: AsyncIterable<Buffer>, reader: RowReader): AsyncGenerator<CsvRow[]> {
  try {
    for await (const bytes of table) yield* yielded(await reader.read(bytes));
    yield* yielded(await reader.read());
  } finally {
    reader.close();
  }
}

function* yielded({ rows, fault }: { rows: CsvRow[]; fault?: unknown }): Generator<CsvRow[]> {
  if (rows.length > 0) yield rows;
  if (fault !== undefined) throw fault;
}
