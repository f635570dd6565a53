import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import type { Delimiter, Encoding } from '../schemas/import.js';
import { neutralizeCell, protectCell } from './cells.js';

/** How a file was read. */
export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  byteOrderMark: boolean;
  /** Whether it begins with a line `sep=;`. */
  sepLine: boolean;
}

/**
 * How a file that an import writes is laid out: as its input is, so that the spreadsheet that made the input opens it,
 * and saves it so that it can be read again.
 */
export interface ReportFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  /** Whether it begins with a line `sep=;`. */
  sepLine: boolean;
  /** Whether cells outlive a spreadsheet that opens and saves them; else they read best, and are only never run. */
  isProtected: boolean;
}

/** What files have that have no input: UTF-8 and commas. */
const plainFormat: ReportFormat = { encoding: 'utf-8', delimiter: ',', sepLine: false, isProtected: false };

/**
 * Rejected rows are to be mended in a spreadsheet and imported again.
 * A `sep=` line makes Excel pass over the mark of UTF-8 and misread every accent; in the others it does no harm.
 */
export const rejectsFormat = ({ encoding, delimiter, sepLine }: Omit<CsvFormat, 'byteOrderMark'>): ReportFormat => ({
  encoding,
  delimiter,
  sepLine: sepLine && encoding !== 'utf-8',
  isProtected: true,
});

/**
 * Passwords are to be read, printed and merged into letters. They come in the input's delimiter, and in UTF-16 where the
 * input does; else in UTF-8, which holds every name.
 */
export const credentialsFormat = ({
  encoding,
  delimiter,
}: Pick<CsvFormat, 'encoding' | 'delimiter'>): ReportFormat => ({
  ...plainFormat,
  encoding: encoding.startsWith('utf-16') ? encoding : 'utf-8',
  delimiter,
});

/** One line of CSV, with cells as they are: the caller knows that no spreadsheet runs them. */
export const rawLine = (cells: readonly string[]): string => stringify([[...cells]]);

/** One line of CSV, with cells that no spreadsheet runs. */
export const csvLine = (cells: readonly string[]): string => reportLine(cells, plainFormat);

/** One line of a file that is laid out like this. */
export function reportLine(cells: readonly string[], { delimiter, isProtected }: ReportFormat): string {
  return stringify([cells.map(isProtected ? protectCell : neutralizeCell)], {
    delimiter,
    // What could be taken for another delimiter is in quotes: a reader that guesses isn't misled.
    ...(isProtected && { quoted_match: /[,;\t|]/ }),
  });
}

/** The beginning of a file: its byte order mark, where the encoding has one, and the header. */
export function headText(header: readonly string[], format: ReportFormat): string {
  const mark = format.encoding === 'windows-1252' ? '' : '\ufeff';
  const sepLine = format.sepLine ? `sep=${format.delimiter}\n` : '';
  // The headings are looked for by their names: they are the input's own.
  return mark + sepLine + reportLine(header, { ...format, isProtected: false });
}

/** The header of a CSV file in UTF-8, with the mark without which Excel misreads every accent in it, and saves it so. */
export const markedHeader = (header: readonly string[]): string => headText(header, plainFormat);

/** A text as bytes of the encoding. */
export function encoded(text: string, encoding: Encoding): Buffer {
  return encoding === 'utf-8' ? Buffer.from(text) : iconv.encode(text, encoding);
}

/** The text of bytes in the encoding. */
export function decoded(bytes: Buffer, encoding: Encoding): string {
  return encoding === 'utf-8' ? bytes.toString() : iconv.decode(bytes, encoding);
}
