import { type Delimiter, importDelimiters } from '../../../schemas/import.js';
import { meaningOf } from './header-aliases.js';

/** The names of the delimiters for people. */
export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'pipe',
};

/** How many bytes of a file, in UTF-8, decide on its delimiter. */
export const delimiterSampleBytes = 64 * 1024;
/** How many records with text decide, at most. */
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

/** A record of the sample. */
interface SampleRecord {
  /** How often each delimiter occurs outside of quotes. */
  counts: Record<Delimiter, number>;
  /** Whether it has anything but delimiters, quotes and white space. */
  hasText: boolean;
  /** Without its quotes. */
  text: string;
}

/** Whether the row reader takes the record for an empty one, because all its cells are blank. A cell of tabs is. */
const isBlank = ({ counts, hasText }: SampleRecord, delimiter: Delimiter) =>
  !hasText && importDelimiters.every((other) => other === delimiter || other === '\t' || counts[other] === 0);

/** Blank cells that spreadsheets mark as text. They have two quotes, so that none changes what is in quotes. */
const blankFormula = /="[^\S\r\n\t]*"/g;

const isDelimiter = (sign: string): sign is Delimiter => importDelimiters.some((delimiter) => delimiter === sign);

/** The records of a sample, without those that have neither text nor delimiters. */
function sampleRecordsOf(text: string, isWhole: boolean): SampleRecord[] {
  const none = (): SampleRecord => ({ counts: { ',': 0, ';': 0, '\t': 0, '|': 0 }, hasText: false, text: '' });
  const records: SampleRecord[] = [];
  let record = none();
  let withText = 0;
  let [inQuotes, isEmpty] = [false, true];
  for (const sign of text.replace(blankFormula, '')) {
    if (sign === '"') inQuotes = !inQuotes;
    else if (!inQuotes && (sign === '\r' || sign === '\n')) {
      if (!isEmpty) records.push(record);
      withText += Number(record.hasText);
      if (withText >= sampleRecords) return records;
      [record, isEmpty] = [none(), true];
      continue;
    } else if (!inQuotes && isDelimiter(sign)) {
      record.counts[sign] += 1;
      isEmpty = false;
    } else if (sign.trim() !== '') {
      record.hasText = true;
      isEmpty = false;
    }
    if (sign !== '"') record.text += sign;
  }
  // The last record may be cut off, unless the sample is the whole file.
  if (!isEmpty && (isWhole || records.length === 0)) records.push(record);
  return records;
}

/** The number of a delimiter that most of the records have that have any, and the share of all records that have it. */
function usualCount(records: readonly SampleRecord[], delimiter: Delimiter): { count: number; share: number } {
  const frequencies = new Map<number, number>();
  for (const { counts } of records)
    if (counts[delimiter] > 0) frequencies.set(counts[delimiter], (frequencies.get(counts[delimiter]) ?? 0) + 1);
  const [[count, frequency] = [0, 0]] = [...frequencies].sort(([, one], [, other]) => other - one);
  // One record alone agrees with no other.
  return frequency > 1 ? { count, share: frequency / records.length } : { count: 0, share: 0 };
}

/** Whether a record has headings of two columns, at least. */
function hasHeadings({ text }: SampleRecord, delimiter: Delimiter): boolean {
  const fields = text.split(delimiter).map((cell) => meaningOf(cell)?.field);
  return new Set(fields.filter((field) => field !== undefined)).size > 1;
}

/**
 * The delimiter of a table: the one that occurs as often in the other records as in the header; of several, the one that
 * is most frequent in the header. The header is the first record that isn't empty, as the row reader finds it with the
 * delimiter. If that is a title above the header, the delimiter is one that the title lacks and most of the other records
 * have equally often. A comma when none occurs.
 * @param isWhole whether the sample is all of the file
 */
export function detectDelimiter(sample: Buffer, isWhole: boolean): Delimiter {
  const records = sampleRecordsOf(sample.toString(), isWhole);
  const all = importDelimiters.map((delimiter) => {
    const header = records.find((record) => !isBlank(record, delimiter));
    const inHeader = header?.counts[delimiter] ?? 0;
    const others = records.filter((record) => record !== header);
    const agreeing = others.filter(({ counts }) => counts[delimiter] === inHeader);
    return { delimiter, inHeader, others, agreement: others.length === 0 ? 1 : agreeing.length / others.length };
  });
  const [best] = all
    .filter(({ inHeader }) => inHeader > 0)
    .sort((one, other) => other.agreement - one.agreement || other.inHeader - one.inHeader);
  const [below] = all
    .filter(({ inHeader }) => inHeader === 0)
    .map(({ delimiter, others }) => ({ delimiter, others, ...usualCount(others, delimiter) }))
    .filter(({ share }) => share > (best?.agreement ?? 0))
    // A first record with a delimiter may be a header of other columns, or a title such as "People, 2026".
    .filter(({ delimiter, others }) => !best || others.some((record) => hasHeadings(record, delimiter)))
    .sort((one, other) => other.share - one.share || other.count - one.count);
  return (below ?? best)?.delimiter ?? ',';
}
