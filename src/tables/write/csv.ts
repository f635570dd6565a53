import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import type { Delimiter, Encoding } from '../../schemas/file-format.js';
import { letterForms } from '../../schemas/keys.js';
import { normalized } from '../../schemas/text.js';
import { neutralizeCell, protectCell } from './cells.js';

/** How a CSV file is encoded and delimited. */
export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  byteOrderMark: boolean;
  /** Whether it begins with a line `sep=;`. */
  sepLine: boolean;
}

/**
 * The layout of a file that an import writes: that of its input, so that the spreadsheet that made the input opens it
 * and saves it in a form that can be imported again.
 */
export interface ReportFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  /** Whether it begins with a line `sep=;`. */
  sepLine: boolean;
  /** Whether cells are protected from changes by a spreadsheet that opens and saves them; else only from being run. */
  isProtected: boolean;
}

/** The layout of files without an input: UTF-8 and commas. */
const plainFormat: ReportFormat = { encoding: 'utf-8', delimiter: ',', sepLine: false, isProtected: false };

/**
 * The layout of rejected rows, which are corrected in a spreadsheet and imported again. No `sep=` line in UTF-8: it makes
 * Excel ignore the byte order mark and misread every accent.
 */
export const rejectsFormat = ({ encoding, delimiter, sepLine }: Omit<CsvFormat, 'byteOrderMark'>): ReportFormat => ({
  encoding,
  delimiter,
  sepLine: sepLine && encoding !== 'utf-8',
  isProtected: true,
});

/** The layout of passwords, which are read, printed and merged into letters: the input's encoding and delimiter. */
export const credentialsFormat = ({
  encoding,
  delimiter,
}: Pick<CsvFormat, 'encoding' | 'delimiter'>): ReportFormat => ({
  ...plainFormat,
  encoding,
  delimiter,
});

/** One line of CSV with unguarded cells: the caller knows that no spreadsheet runs them. */
export const rawLine = (cells: readonly string[]): string => stringify([[...cells]]);

/** One line of CSV, with cells that no spreadsheet runs. */
export const csvLine = (cells: readonly string[]): string => reportLine(cells, plainFormat);

/** One line of a file with this layout. */
export function reportLine(cells: readonly string[], { delimiter, isProtected }: ReportFormat): string {
  const written = cells.map((cell, index) => (isProtected ? protectCell(cell) : neutralizeCell(cell, index === 0)));
  return stringify([written], {
    delimiter,
    // Other delimiters are quoted for programs that guess the delimiter.
    ...(isProtected && { quoted_match: /[,;\t|]/ }),
  });
}

/** The beginning of a file: its byte order mark, where the encoding has one, and the header. */
export function headerText(header: readonly string[], format: ReportFormat): string {
  const mark = format.encoding.startsWith('utf-') ? '\ufeff' : '';
  const sepLine = format.sepLine ? `sep=${format.delimiter}\n` : '';
  // Unprotected: the headings are the input's own, and an import finds columns by them.
  return mark + sepLine + reportLine(header, { ...format, isProtected: false });
}

/** The header of a CSV file in UTF-8, with the byte order mark without which Excel misreads accents. */
export const headerWithByteOrderMark = (header: readonly string[]): string => headerText(header, plainFormat);

/** The bytes of a text in the encoding. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  return encoding === 'utf-8' ? Buffer.from(text) : iconv.encode(text, encoding);
}

const isAscii = /^[\0-\x7f]*$/;

/** Whether the encoding has every character of the text. */
export const isEncodable = (text: string, encoding: Encoding): boolean =>
  encoding.startsWith('utf-') || isAscii.test(text) || iconv.decode(encodeText(text, encoding), encoding) === text;

/** The letter or letters that a character is a form of, in its case. */
function baseLettersOf(character: string): string {
  const form = letterForms.get(character.toLowerCase());
  if (form === undefined) return normalized(character, 'NFKD').replace(/\p{M}/gu, '');
  return character === character.toLowerCase() ? form : form.toUpperCase();
}

/** The text with letters that the encoding lacks without their marks. */
export function replaceUnencodableLetters(text: string, encoding: Encoding): string {
  if (isEncodable(text, encoding)) return text;
  return Array.from(text, (character) =>
    isEncodable(character, encoding) ? character : baseLettersOf(character),
  ).join('');
}
