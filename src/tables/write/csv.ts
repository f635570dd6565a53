import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import type { Delimiter, Encoding } from '../../schemas/file-format.js';
import { letterForms } from '../../schemas/keys.js';
import { normalized } from '../../schemas/text.js';
import { neutralizeCell, protectCell } from './cells.js';

export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  byteOrderMark: boolean;
  /** Whether the file begins with a line `sep=;`. */
  sepLine: boolean;
}

/** Layout of a file that an import writes. It equals the layout of the input, so that the same program can open and save it. */
export interface ReportFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  /** Whether the file begins with a line `sep=;`. */
  sepLine: boolean;
  /** Whether cells are protected from changes by spreadsheets, and not only from running as formulas. */
  isProtected: boolean;
}

/** Layout of files that aren't based on an imported file. */
const plainFormat: ReportFormat = { encoding: 'utf-8', delimiter: ',', sepLine: false, isProtected: false };

/**
 * Returns the layout of rejected rows, which people correct in a spreadsheet and import again. In UTF-8 there is no `sep=`
 * line, because the line makes Excel ignore the byte order mark and misread every accent.
 */
export const rejectsFormat = ({ encoding, delimiter, sepLine }: Omit<CsvFormat, 'byteOrderMark'>): ReportFormat => ({
  encoding,
  delimiter,
  sepLine: sepLine && encoding !== 'utf-8',
  isProtected: true,
});

/** Returns the layout of passwords, which people read, print and merge into letters. */
export const credentialsFormat = ({
  encoding,
  delimiter,
}: Pick<CsvFormat, 'encoding' | 'delimiter'>): ReportFormat => ({
  ...plainFormat,
  encoding,
  delimiter,
});

/** Returns a line of CSV without protection: the caller must have protected the cells. */
export const rawLine = (cells: readonly string[]): string => stringify([[...cells]]);

/** Returns a line of CSV whose cells no spreadsheet runs. */
export const csvLine = (cells: readonly string[]): string => reportLine(cells, plainFormat);

export function reportLine(cells: readonly string[], { delimiter, isProtected }: ReportFormat): string {
  const written = cells.map((cell, index) => (isProtected ? protectCell(cell) : neutralizeCell(cell, index === 0)));
  return stringify([written], {
    delimiter,
    // Cells with other delimiters are quoted, too, for programs that guess the delimiter.
    ...(isProtected && { quoted_match: /[,;\t|]/ }),
  });
}

/** Returns the byte order mark, if the encoding has one, the `sep=` line and the header. */
export function headerText(header: readonly string[], format: ReportFormat): string {
  const mark = format.encoding.startsWith('utf-') ? '\ufeff' : '';
  const sepLine = format.sepLine ? `sep=${format.delimiter}\n` : '';
  // Headings are not protected: they come from the input, and an import finds columns by them.
  return mark + sepLine + reportLine(header, { ...format, isProtected: false });
}

/** Returns the header of a CSV file in UTF-8. Without the byte order mark, Excel misreads accents. */
export const headerWithByteOrderMark = (header: readonly string[]): string => headerText(header, plainFormat);

export function encodeText(text: string, encoding: Encoding): Buffer {
  return encoding === 'utf-8' ? Buffer.from(text) : iconv.encode(text, encoding);
}

const isAscii = /^[\0-\x7f]*$/;

export const isEncodable = (text: string, encoding: Encoding): boolean =>
  encoding.startsWith('utf-') || isAscii.test(text) || iconv.decode(encodeText(text, encoding), encoding) === text;

/** Returns the base letters of a character in the same case: `e` for `é`, `SS` for `ẞ`. */
function baseLettersOf(character: string): string {
  const form = letterForms.get(character.toLowerCase());
  if (form === undefined) return normalized(character, 'NFKD').replace(/\p{M}/gu, '');
  return character === character.toLowerCase() ? form : form.toUpperCase();
}

/** Replaces letters that the encoding lacks by their base letters. */
export function replaceUnencodableLetters(text: string, encoding: Encoding): string {
  if (isEncodable(text, encoding)) return text;
  return Array.from(text, (character) =>
    isEncodable(character, encoding) ? character : baseLettersOf(character),
  ).join('');
}
