import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';

const lines = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ };

/** How a spreadsheet saves a sheet: the three kinds of CSV that Excel knows. */
export const savedAs = {
  'CSV UTF-8, commas': (rows: string[][]) => Buffer.from(`\ufeff${stringify(rows, { ...lines })}`),
  'CSV, semicolons, Windows-1252': (rows: string[][]) =>
    iconv.encode(stringify(rows, { delimiter: ';', ...lines }), 'windows-1252'),
  'Unicode text, tabs': (rows: string[][]) =>
    iconv.encode(stringify(rows, { delimiter: '\t', ...lines }), 'utf-16le', { addBOM: true }),
} as const;

/** What Excel shows, and saves, of a cell that it reads from a CSV file. */
function shown(cell: string): string {
  const text = cell.trim();
  if (/^[=@]|^[+-]\D/.test(text)) return '#NAME?';
  if (/^[+-]?\d+([.,]\d+)?$/.test(text)) {
    const number = Number(text.replace(',', '.'));
    return Math.abs(number) >= 1e11 ? number.toExponential(5).replace(/\.?0*e\+?/, 'E+') : String(number);
  }
  if (/^\d{1,2}[/-]\d{1,2}$/.test(text)) return text.replace(/[/-]/, '. Mrz ');
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 'WAHR' : 'FALSCH';
  // No cell holds more.
  return cell.slice(0, 32_767);
}

/**
 * A file as Excel opens it with a double click: it recognises UTF-8 and UTF-16 only by a byte order mark, and another
 * delimiter than its locale's only by a `sep=` line; UTF-16 is split at tabs. All rows are as long as the longest.
 * @param listSeparator the delimiter of its country
 */
export function openedByExcel(file: string, listSeparator: ',' | ';'): string[][] {
  const bytes = readFileSync(file);
  const isMarked8 = bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf));
  const isMarked16 = bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xfe));
  // After a mark of UTF-8 a `sep=` line undoes the mark.
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
