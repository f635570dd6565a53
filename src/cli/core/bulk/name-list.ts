import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { AppError, isAppError, readFailureReason, systemErrorCode } from '../../../errors.js';
import { type Delimiter, importDelimiters } from '../../../schemas/file-format.js';
import { parseId } from '../../../services/ids.js';
import { matchHeading } from '../../../services/imports/read/fields/header-aliases.js';
import { readPreamble } from '../../../tables/csv/delimiters.js';
import { decodeToUtf8 } from '../../../tables/encoding/encodings.js';
import { FileProblem } from '../../../tables/encoding/source-file.js';
import { inspectFile } from '../../../tables/inspect.js';
import { readCell, readPhone } from '../../../tables/write/cells.js';
import type { Io } from '../output/output.js';
import { pipedBytes } from '../prompts/input.js';

/** Reads the file of `--from`. @throws AppError `USAGE`, `INTERRUPTED` */
async function bytesFrom(io: Io, file: string): Promise<Buffer> {
  try {
    return file === '-' ? await pipedBytes(io) : await readFile(path.resolve(io.cwd, file), { signal: io.signal });
  } catch (error) {
    if (io.signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new AppError('USAGE', `The file ${file} ${readFailureReason(code)}.`, { cause: error });
  }
}

interface ListText {
  text: string;
  /** Possible delimiters of a heading line. */
  delimiters: readonly Delimiter[];
}

/**
 * Reads and decodes a list. Supports the encodings and the `sep=` line of imports.
 * @throws AppError `USAGE`, `INTERRUPTED`
 */
async function textFrom(io: Io, file: string): Promise<ListText> {
  const bytes = await bytesFrom(io, file);
  const chunks = async function* () {
    yield bytes;
  };
  const decoded: Buffer[] = [];
  try {
    const { encoding, isWorkbook } = await inspectFile(chunks());
    if (isWorkbook) throw new FileProblem('NOT_CSV', 'The list is a workbook.');
    for await (const part of decodeToUtf8(encoding, chunks())) decoded.push(part);
  } catch (error) {
    if (!isAppError(error, 'IMPORT_FILE_INVALID')) throw error;
    const source = file === '-' ? 'The list on standard input' : `The file ${file}`;
    const advice = 'Save it as UTF-8, in a spreadsheet as "CSV UTF-8".';
    throw new AppError('USAGE', `${source} is not text, or its encoding can't be detected. ${advice}`, {
      cause: error,
    });
  }
  const whole = Buffer.concat(decoded);
  const { length, named } = readPreamble(whole);
  return {
    text: whole.subarray(length).toString(),
    delimiters: named === undefined ? importDelimiters : [named],
  };
}

const isSkipped = (line: string) => line.trim() === '' || line.startsWith('#');

interface NameColumn {
  heading: string;
  /** Heading as written in the list. */
  shown: string;
  index: number;
}

/**
 * Finds the delimiter of a heading line and the columns that may contain the names, best first. Returns undefined for a
 * line without known headings.
 */
function columnsIn(
  line: string,
  delimiters: readonly Delimiter[],
  headings: readonly string[],
): { delimiter: Delimiter; columns: NameColumn[] } | undefined {
  for (const delimiter of delimiters) {
    const cells = line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const columns = headings.flatMap((heading) => columnOf(cells, heading) ?? []);
    if (columns.length > 0) return { delimiter, columns };
  }
  return undefined;
}

/**
 * Returns the column with a heading. For emails and phones, also accepts the headings of imports, and prefers the most
 * likely column.
 */
function columnOf(cells: readonly string[], heading: string): NameColumn | undefined {
  const isAliased = heading === 'email' || heading === 'phone';
  const found = cells.flatMap((cell, index) => {
    const known = isAliased ? matchHeading(cell) : undefined;
    const isNamed = known ? known.field === heading : cell.toLowerCase() === heading.toLowerCase();
    return isNamed ? [{ column: { heading, shown: cell, index }, rank: known?.rank ?? 0 }] : [];
  });
  return found.sort((one, other) => one.rank - other.rank)[0]?.column;
}

/** Parses the rows below the headings. @throws AppError `USAGE` for invalid CSV */
function rowsOf(text: string, delimiter: Delimiter): string[][] {
  try {
    const rows = parse(text, {
      delimiter,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    // Without the option `columns`, csv-parse returns arrays of strings.
    return (rows as string[][]).slice(1);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new AppError('USAGE', `The list is not valid CSV: ${problem}`, { cause: error });
  }
}

const idHeadings = ['userId', 'id'];

/**
 * Removes `id` columns if there is a `userId` column. In a list with `userId`, `id` is the id of another record, such as
 * an enrollment.
 */
const withoutOtherIds = (columns: readonly NameColumn[]) =>
  columns.some(({ heading }) => heading === 'userId') ? columns.filter(({ heading }) => heading !== 'id') : columns;

/**
 * Returns the names of a list with headings: the cells of the most complete column.
 * @throws AppError `USAGE` if that column has empty cells, or if all columns contain ids of another system
 */
function namesOf(rows: readonly string[][], found: readonly NameColumn[]): string[] {
  const columns = withoutOtherIds(found).map((column) => {
    const names = rows.map((row) => readPhone(readCell(row[column.index] ?? '')).trim());
    return { ...column, names, empty: names.filter((name) => name === '').length };
  });
  const [best] = columns
    // Otherwise an id of another system could match a phone number.
    .filter(({ heading, names }) => !idHeadings.includes(heading) || names.every((name) => parseId(name) !== undefined))
    .sort((one, other) => one.empty - other.empty);
  if (!best)
    throw new AppError(
      'USAGE',
      `The column ${columns[0]?.shown} of the list has values that are not ids of this program. Remove the column or correct its heading, or give one name per line.`,
    );
  const { shown, names, empty } = best;
  if (empty === 0) return names;
  const these = empty === 1 ? '1 row of the list has' : `${empty} rows of the list have`;
  throw new AppError('USAGE', `${these} nothing in the column ${shown}. Fill it in, or remove these rows.`);
}

/**
 * Returns the names in a list. If the first line has one of the headings, the list is CSV, and the cells of that column
 * are the names. Otherwise each line is a name; empty lines and lines that begin with # are skipped. Supports the
 * encodings, delimiters and headings of imports.
 * @param file `-` for standard input
 * @param headings best first; compared case-insensitively
 * @throws AppError `USAGE` for an unreadable file or a list without names, `INTERRUPTED`
 */
export async function namesIn(io: Io, file: string, headings: readonly string[]): Promise<string[]> {
  const { text, delimiters } = await textFrom(io, file);
  const lines = text.split(/\r\n|\r|\n/).filter((line) => !isSkipped(line));
  const [first = ''] = lines;
  const table = columnsIn(first, delimiters, headings);
  if (!table && /[,;\t|]/.test(first))
    throw new AppError(
      'USAGE',
      `The first line of the list has several columns, but none is called ${headings.join(' or ')}. Rename the column with the names, or give one name per line.`,
    );
  const names = table ? namesOf(rowsOf(text, table.delimiter), table.columns) : lines.map((line) => line.trim());
  if (names.length === 0) throw new AppError('USAGE', 'The list has no names. Give one per line.');
  return names;
}
