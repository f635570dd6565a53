import { type Delimiter, importDelimiters } from '../../schemas/file-format.js';
import type { HeaderRules } from '../table/table.js';

export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** Bytes of a table, in UTF-8, from which its delimiter is detected. */
export const delimiterSampleBytes = 64 * 1024;
/** Maximum records of the sample, without blank ones. */
const sampleRecords = 50;

/** The byte order mark and the `sep=` line of a file. */
export interface Preamble {
  /** Length in bytes. */
  length: number;
  byteOrderMark: boolean;
  sepLine: boolean;
  named?: Delimiter;
}

const byteOrderMark = '\ufeff';
/** Matches the `sep=` line. Spreadsheets pad it with delimiters when they save the file. */
const sepLine = /^"?sep=(\\t|[^\r\n"])?"?[ ,;|\t]*(\r\n|\r|\n|$)/i;
const maxPreambleBytes = 1024;

/**
 * Reads the byte order mark and the `sep=` line, an extension of Excel.
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

interface SampleRecord {
  /** Occurrences of each delimiter outside of quotes. */
  counts: Record<Delimiter, number>;
  text: string;
}

/** Matches blank cells that spreadsheets mark as text. Each has two quotes, so the quotes of a text without them balance. */
const blankFormula = /="[^\S\r\n\t]*"/g;

const isDelimiter = (sign: string): sign is Delimiter => importDelimiters.some((delimiter) => delimiter === sign);

/** Returns the records of a sample, without blank ones. */
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
  // The last record may be incomplete, unless the sample is the whole file.
  if (hasText && (isWhole || records.length === 0)) records.push(record);
  return records;
}

/**
 * Detects the delimiter of a table: the character that most records contain as often as the header does. If several are
 * equally good, the most frequent character in the header wins. The header is the first record with known headings, because
 * titles may be above it; otherwise the first record with a delimiter. For a table without any delimiter, returns a comma.
 * @param isWhole whether the sample is the whole file
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
