import { type Delimiter, importDelimiters } from '../../../schemas/import.js';

/** What people call the delimiters. */
export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** How much of a file decides on its delimiter, in bytes of UTF-8. */
export const delimiterSampleBytes = 64 * 1024;
const sampleRecords = 50;

/** What stands at the top of a file for the program that reads it. */
export interface Preamble {
  /** How many bytes aren't part of the table. */
  length: number;
  byteOrderMark: boolean;
  sepLine: boolean;
  /** The delimiter that the `sep=` line names. */
  named?: Delimiter;
}

const byteOrderMark = '\ufeff';
/** Spreadsheets that saved the file again have filled the line up with delimiters. */
const sepLine = /^"?sep=(\\t|[^\r\n"])?"?[ ,;|\t]*(\r\n|\r|\n|$)/i;
const longestPreamble = 1024;

/**
 * Looks for a byte order mark and a line `sep=;`, as Excel knows it.
 * @param start the first bytes of a file, in UTF-8
 */
export function readPreamble(start: Buffer): Preamble {
  const text = start.subarray(0, longestPreamble).toString();
  const marked = text.startsWith(byteOrderMark);
  const match = sepLine.exec(marked ? text.slice(1) : text);
  const preamble = { length: marked ? Buffer.byteLength(byteOrderMark) : 0, byteOrderMark: marked, sepLine: false };
  if (match === null) return preamble;
  const sign = match[1] === '\\t' ? '\t' : match[1];
  const named = importDelimiters.find((delimiter) => delimiter === sign);
  const length = preamble.length + Buffer.byteLength(match[0]);
  return { ...preamble, length, sepLine: true, ...(named !== undefined && { named }) };
}

/** How often each delimiter stands outside of quotes, record by record. */
function countDelimiters(text: string, isWhole: boolean): Record<Delimiter, number>[] {
  const none = () => ({ ',': 0, ';': 0, '\t': 0, '|': 0 });
  const records: Record<Delimiter, number>[] = [];
  let counts = none();
  let [inQuotes, blank] = [false, true];
  for (const sign of text) {
    if (sign === '"') inQuotes = !inQuotes;
    else if (inQuotes) continue;
    else if (sign === '\r' || sign === '\n') {
      if (!blank) records.push(counts);
      if (records.length >= sampleRecords) return records;
      [counts, blank] = [none(), true];
      continue;
    } else if (sign === ',' || sign === ';' || sign === '\t' || sign === '|') counts[sign] += 1;
    blank = false;
  }
  // The last record may be cut off, unless it is all there is.
  if (!blank && (isWhole || records.length === 0)) records.push(counts);
  return records;
}

/**
 * The delimiter of a table: one that the header has and the first records have as often; of several, the one that
 * the header has most often. A comma where there is no sign of any.
 * @param isWhole whether the sample is all of the file
 */
export function detectDelimiter(sample: Buffer, isWhole: boolean): Delimiter {
  const [header, ...records] = countDelimiters(sample.toString(), isWhole);
  if (header === undefined) return ',';
  const agreement = (delimiter: Delimiter) =>
    records.length === 0
      ? 1
      : records.filter((record) => record[delimiter] === header[delimiter]).length / records.length;
  const candidates = importDelimiters
    .filter((delimiter) => header[delimiter] > 0)
    .sort((one, other) => agreement(other) - agreement(one) || header[other] - header[one]);
  return candidates[0] ?? ',';
}
