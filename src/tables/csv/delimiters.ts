import { type Delimiter, importDelimiters } from '../../schemas/file-format.js';
import type { HeaderRules } from '../table/table.js';

/** The names of the delimiters for people. */
export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** Of the file in UTF-8. */
export const delimiterSampleBytes = 64 * 1024;
/** Records with text. */
const sampleRecords = 50;

/** The byte order mark and the `sep=` line at the beginning of a file. */
export interface Preamble {
  /** In bytes. */
  length: number;
  byteOrderMark: boolean;
  sepLine: boolean;
  /** The delimiter that the `sep=` line names. */
  named?: Delimiter;
}

const byteOrderMark = '\ufeff';
/** Spreadsheets that save the file again pad the line with delimiters. */
const sepLine = /^"?sep=(\\t|[^\r\n"])?"?[ ,;|\t]*(\r\n|\r|\n|$)/i;
const maxPreambleBytes = 1024;

/**
 * Reads the byte order mark and a line `sep=;`, which Excel understands.
 * @param start the first bytes of a file, in UTF-8
 */
export function readPreamble(start: Buffer): Preamble {
  const text = start.subarray(0, maxPreambleBytes).toString();
  const marked = text.startsWith(byteOrderMark);
  const match = sepLine.exec(marked ? text.slice(1) : text);
  const preamble = { length: marked ? Buffer.byteLength(byteOrderMark) : 0, byteOrderMark: marked, sepLine: false };
  if (match === null) return preamble;
  const sign = match[1] === '\\t' ? '\t' : match[1];
  const named = importDelimiters.find((delimiter) => delimiter === sign);
  const length = preamble.length + Buffer.byteLength(match[0]);
  return { ...preamble, length, sepLine: true, ...(named !== undefined && { named }) };
}

/** A record of the sample. */
interface SampleRecord {
  /** How often each delimiter occurs outside of quotes. */
  counts: Record<Delimiter, number>;
  /** Without its quotes. */
  text: string;
}

/** Blank cells that spreadsheets mark as text. They have two quotes, so that none changes what is in quotes. */
const blankFormula = /="[^\S\r\n\t]*"/g;

const isDelimiter = (sign: string): sign is Delimiter => importDelimiters.some((delimiter) => delimiter === sign);

/** The records of a sample that have text. */
function sampleRecordsOf(text: string, isWhole: boolean): SampleRecord[] {
  const none = (): SampleRecord => ({ counts: { ',': 0, ';': 0, '\t': 0, '|': 0 }, text: '' });
  const records: SampleRecord[] = [];
  let [record, hasText, inQuotes] = [none(), false, false];
  for (const sign of text.replace(blankFormula, '')) {
    if (sign === '"') inQuotes = !inQuotes;
    else if (!inQuotes && (sign === '\r' || sign === '\n')) {
      if (hasText) records.push(record);
      if (records.length >= sampleRecords) return records;
      [record, hasText] = [none(), false];
    } else {
      record.text += sign;
      if (!inQuotes && isDelimiter(sign)) record.counts[sign] += 1;
      else hasText ||= sign.trim() !== '';
    }
  }
  // The last record may be cut off, unless the sample is the whole file.
  if (hasText && (isWhole || records.length === 0)) records.push(record);
  return records;
}

/**
 * The delimiter of a table: the one that occurs as often in the records below the header as in it; of several, the one
 * that is most frequent in the header. The header is the first record whose headings are known, as there may be titles
 * above it, or else the first one with a delimiter. A comma when none occurs.
 * @param isWhole whether the sample is all of the file
 */
export function detectDelimiter(sample: Buffer, isWhole: boolean, { countKnown }: HeaderRules): Delimiter {
  const records = sampleRecordsOf(sample.toString(), isWhole);
  const header =
    records.find(({ text }) => importDelimiters.some((delimiter) => countKnown(text.split(delimiter)) > 1)) ??
    records.find(({ counts }) => importDelimiters.some((delimiter) => counts[delimiter] > 0));
  if (header === undefined) return ',';
  const below = records.slice(records.indexOf(header) + 1);
  const agreement = (delimiter: Delimiter) =>
    below.filter(({ counts }) => counts[delimiter] === header.counts[delimiter]).length;
  const [best = ','] = importDelimiters
    .filter((delimiter) => header.counts[delimiter] > 0)
    .sort((one, other) => agreement(other) - agreement(one) || header.counts[other] - header.counts[one]);
  return best;
}
