import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';

const lines = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ };

/** The three kinds of CSV that Excel saves. */
export const savedAs = {
  'CSV UTF-8, commas': (rows: string[][]) => Buffer.from(`\ufeff${stringify(rows, { ...lines })}`),
  'CSV, semicolons, Windows-1252': (rows: string[][]) =>
    iconv.encode(stringify(rows, { delimiter: ';', ...lines }), 'windows-1252'),
  'Unicode text, tabs': (rows: string[][]) =>
    iconv.encode(stringify(rows, { delimiter: '\t', ...lines }), 'utf-16le', { addBOM: true }),
} as const;

/** Returns the text that Excel shows and saves for a cell of a CSV file. */
function shown(cell: string): string {
  const text = cell.trim();
  if (/^[=@]|^[+-]\D/.test(text)) return '#NAME?';
  if (/^[+-]?\d+([.,]\d+)?$/.test(text)) {
    const number = Number(text.replace(',', '.'));
    return Math.abs(number) >= 1e11 ? number.toExponential(5).replace(/\.?0*e\+?/, 'E+') : String(number);
  }
  if (/^\d{1,2}[/-]\d{1,2}$/.test(text)) return text.replace(/[/-]/, '. Mrz ');
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 'WAHR' : 'FALSCH';
  // Maximum length of a cell.
  return cell.slice(0, 32_767);
}

/**
 * Returns the rows of a file that Excel opens with a double click. Excel recognizes UTF-8 and UTF-16 only by a byte order mark,
 * and a delimiter of another locale only by a `sep=` line. It splits UTF-16 at tabs. All rows become as long as the longest.
 * @param listSeparator delimiter of the locale
 */
export function openedByExcel(file: string, listSeparator: ',' | ';'): string[][] {
  const bytes = readFileSync(file);
  const isMarked8 = bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf));
  const isMarked16 = bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xfe));
  // A `sep=` line after a byte order mark of UTF-8 cancels the mark.
  const misread = isMarked8 && bytes.subarray(3, 7).toString().toLowerCase() === 'sep=';
  const encoding = isMarked16 ? 'utf-16le' : isMarked8 && !misread ? 'utf-8' : 'windows-1252';
  if (encoding === 'utf-8' && !isUtf8(bytes)) throw new Error(`${file} is no UTF-8`);
  const text = iconv.decode(bytes, encoding);
  const [sepLine, named] = /^sep=(.)\r?\n/i.exec(text) ?? [''];
  const delimiter = named ?? (isMarked16 ? '\t' : listSeparator);
  const rows = parse(text.slice(sepLine.length), {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
  }) as string[][];
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => Array.from({ length: width }, (_, index) => shown(row[index] ?? '')));
}
