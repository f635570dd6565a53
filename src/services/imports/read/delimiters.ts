import { type Delimiter, importDelimiters } from '../../../schemas/import.js';

/** The names of the delimiters for people. */
export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** How many bytes of a file, in UTF-8, decide on its delimiter. */
export const delimiterSampleBytes = 64 * 1024;
const sampleRecords = 50;

/** The byte order mark and the `sep=` line at the beginning of a file. */
export interface Preamble {
  /** How many bytes precede the table. */
  length: number;
  byteOrderMark: boolean;
  sepLine: boolean;
  /** The delimiter that the `sep=` line names. */
  named?: Delimiter;
}

const byteOrderMark = '\ufeff';
/** Spreadsheets that save the file again pad the line with delimiters. */
const sepLine = /^"?sep=(\\t|[^\r\n"])?"?[ ,;|\t]*(\r\n|\r|\n|$)/i;
const longestPreamble = 1024;

/**
 * Reads the byte order mark and a line `sep=;`, which Excel understands.
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

/** Counts each delimiter outside of quotes, record by record. */
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
  // The last record may be cut off, unless the sample is the whole file.
  if (!blank && (isWhole || records.length === 0)) records.push(counts);
  return records;
}

/**
 * The delimiter of a table: the one that occurs as often in the first records as in the header; of several, the one that
 * is most frequent in the header. A comma when none occurs.
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
