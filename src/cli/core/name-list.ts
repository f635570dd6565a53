import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { readCell, readPhone } from '../../csv/cells.js';
import { AppError, systemErrorCode, whyUnreadable } from '../../errors.js';
import { idIn } from '../../services/ids.js';
import { pipedBytes } from './input.js';
import type { Io } from './output.js';

/** The delimiters that a line of headings is split at. */
const delimiters = [',', ';', '\t'];

const byteOrderMark = /^\ufeff/;

/** The text of `--from`. @throws AppError `USAGE`, `FILE_UNUSABLE`, `INTERRUPTED` */
async function textFrom(io: Io, file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await pipedBytes(io) : await readFile(path.resolve(io.cwd, file), { signal: io.signal });
  } catch (error) {
    if (io.signal.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new AppError('USAGE', `The file ${file} ${whyUnreadable(code)}.`, { cause: error });
  }
  const source = file === '-' ? 'The list on standard input' : `The file ${file}`;
  const notText = (cause?: unknown) =>
    new AppError('USAGE', `${source} is not UTF-8 text. Save it as UTF-8.`, { cause });
  // UTF-16 without a byte order mark has them. They would be valid UTF-8, and end SQLite's statement.
  if (bytes.includes(0)) throw notText();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notText(error);
  }
}

/** Whether a line names nothing. */
const isSkipped = (line: string) => line.trim() === '' || line.startsWith('#');

/** A column of a list with headings. */
interface NameColumn {
  heading: string;
  index: number;
}

/** How a line of headings is delimited, and which of the columns may have the names, the best first. */
function columnsIn(
  line: string,
  headings: readonly string[],
): { delimiter: string; columns: NameColumn[] } | undefined {
  for (const delimiter of delimiters) {
    const cells = line.split(delimiter).map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    );
    const columns = headings.map((heading) => ({ heading, index: cells.indexOf(heading.toLowerCase()) }));
    const found = columns.filter(({ index }) => index >= 0);
    if (found.length > 0) return { delimiter, columns: found };
  }
  return undefined;
}

/** The rows below the headings. @throws AppError `USAGE` for what is no CSV */
function rowsOf(text: string, delimiter: string): string[][] {
  try {
    const rows = parse(text, {
      delimiter,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    // Without the option `columns`, csv-parse gives lists of text.
    return (rows as string[][]).slice(1);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new AppError('USAGE', `The list is not valid CSV: ${problem}`, { cause: error });
  }
}

/** The headings of columns of ids. */
const idHeadings = ['userId', 'id'];

/** The columns that may have the names. Beside ids of accounts, `id` is that of something else, such as an enrollment. */
const withoutOtherIds = (columns: readonly NameColumn[]) =>
  columns.some(({ heading }) => heading === 'userId') ? columns.filter(({ heading }) => heading !== 'id') : columns;

/**
 * The names in a list with headings.
 * @throws AppError `USAGE` for rows without one, and for a column of ids that are not this program's
 */
function namesOf(rows: readonly string[][], found: readonly NameColumn[]): string[] {
  const columns = withoutOtherIds(found);
  for (const { heading, index } of columns) {
    const names = rows.map((row) => readPhone(readCell(row[index] ?? '')).trim());
    // Another system's number could be a phone number here.
    if (idHeadings.includes(heading) && names.some((name) => idIn(name) === undefined)) continue;
    const empty = names.filter((name) => name === '').length;
    if (empty === 0) return names;
    const these = empty === 1 ? '1 row of the list has' : `${empty} rows of the list have`;
    throw new AppError('USAGE', `${these} nothing in the column ${heading}. Fill it in, or remove these rows.`);
  }
  throw new AppError(
    'USAGE',
    `The column ${columns[0]?.heading} of the list has values that are not ids of this program. Remove it, and name a column by what it has, or give one name a line.`,
  );
}

/**
 * The names in a file: one a line, without empty lines and those that begin with #; or, where the first line has one of the
 * headings, the cells of that column.
 * @param file `-` for standard input
 * @param headings the best first; the case of those in the file doesn't matter
 * @throws AppError `USAGE` for a file that can't be read or has no names, `INTERRUPTED`
 */
export async function namesIn(io: Io, file: string, headings: readonly string[]): Promise<string[]> {
  const text = (await textFrom(io, file)).replace(byteOrderMark, '');
  const lines = text.split(/\r\n|\r|\n/).filter((line) => !isSkipped(line));
  const [first = ''] = lines;
  const table = columnsIn(first, headings);
  if (!table && /[,;\t]/.test(first))
    throw new AppError(
      'USAGE',
      `The first line of the list has several columns, but none is called ${headings.join(' or ')}. Rename the column with the names, or give one name a line.`,
    );
  const names = table ? namesOf(rowsOf(text, table.delimiter), table.columns) : lines.map((line) => line.trim());
  if (names.length === 0) throw new AppError('USAGE', 'The list has no names. Give one per line.');
  return names;
}
