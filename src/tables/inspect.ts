import { createHash } from 'node:crypto';
import type { CodePage, Encoding } from '../schemas/file-format.js';
import { guessCodePage } from './encoding/code-pages.js';
import { BadByte, decodeToUtf8, encodingOfByteOrderMark, saveAsCsv, WrongByteOrderMark } from './encoding/encodings.js';
import { FileProblem } from './encoding/source-file.js';
import { lockedWorkbook, unsupportedWorkbook } from './workbook/problem.js';

export interface Inspection {
  sha256: string;
  /** Whether the file is a ZIP file, which may be a workbook. Only opening the file shows this. */
  isWorkbook: boolean;
  /** Encoding of a text file; `utf-8` for a workbook. */
  encoding: Encoding;
  byteOrderMark: boolean;
  bytes: number;
}

const signatureBytes = 4096;

const saveAsXlsx = 'Open it in a spreadsheet program, save it as .xlsx, and import that.';

/** First bytes of ZIP files. An empty ZIP file begins with the second signature. */
const zipStarts = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const isZip = (start: Buffer) => zipStarts.some((signature) => start.subarray(0, signature.length).equals(signature));

/** First bytes of compound files: old Office documents, and encrypted documents, which contain an encrypted stream. */
const compoundStart = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const encryptedStream = Buffer.from('EncryptedPackage', 'utf16le');

/** Returns the refusal of a file type that people mistake for a table, with advice; undefined for other types. */
function findWrongType(start: Buffer, hasEncryptedStream: boolean): FileProblem | undefined {
  const begins = (...bytes: number[]) => start.subarray(0, bytes.length).equals(Buffer.from(bytes));
  const notCsv = (what: string) => new FileProblem('NOT_CSV', `The file is ${what}`);
  if (begins(...compoundStart))
    return hasEncryptedStream ? lockedWorkbook() : unsupportedWorkbook('an old Excel workbook (.xls)');
  if (begins(0x25, 0x50, 0x44, 0x46, 0x2d))
    return notCsv('a PDF document. Export the table as "CSV UTF-8" and import that.');
  if (begins(0x1f, 0x8b)) return notCsv('compressed with gzip. Unpack it and import the file in it.');
  const text = start.subarray(0, 256).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*<(!doctype html|html|head|meta|table)\b/i.test(text))
    return notCsv(`a web page (HTML). ${saveAsXlsx}`);
  if (/^(\xef\xbb\xbf)?\s*<\?xml\b/i.test(text)) return notCsv(`an XML document. ${saveAsXlsx}`);
  return undefined;
}

/** Bytes of sampled rows: enough to detect a code page, and quick to examine. */
const sampleBytes = 16 * 1024;
/** First lines of the file, which may include the header. */
const headLines = 5;
const maxLineLength = 4 * 1024;

const isBeyondAscii = (line: string) => /[\x80-\xff]/.test(line);

/** Returns at most the first 4 KiB of a line. The line is cut after a byte that is never part of a longer character. */
const truncateLine = (line: string) =>
  line.length <= maxLineLength ? line : (/^.*[\0-/]/.exec(line.slice(0, maxLineLength))?.[0] ?? '');

/** Samples lines with non-ASCII bytes from the whole file: only these tell its code page. Memory doesn't grow with the file. */
class RowSample {
  // Each character represents one byte (latin1).
  readonly #head: string[] = [];
  #rows: string[] = [];
  /** Keeps every n-th line with non-ASCII bytes. */
  #stride = 1;
  #lines = 0;
  #bytes = 0;
  #unfinished = '';

  push(chunk: Buffer): void {
    const lines = (this.#unfinished + chunk.toString('latin1')).split(/[\r\n]+/);
    // The rest of a longer line is ignored.
    this.#unfinished = (lines.pop() ?? '').slice(0, maxLineLength + 1);
    for (const line of lines) if (line !== '') this.#add(truncateLine(line));
  }

  #add(line: string): void {
    if (this.#head.length < headLines) {
      this.#head.push(line);
      return;
    }
    if (!isBeyondAscii(line)) return;
    this.#lines += 1;
    if (this.#lines % this.#stride !== 0) return;
    this.#rows.push(line);
    this.#bytes += line.length;
    if (this.#bytes <= sampleBytes) return;
    this.#rows = this.#rows.filter((_, index) => index % 2 === 1);
    this.#bytes = this.#rows.reduce((sum, { length }) => sum + length, 0);
    this.#stride *= 2;
  }

  /** Ends the sample. Returns all sampled lines, and those with non-ASCII bytes. */
  finish(): { file: Buffer; beyondAscii: Buffer } {
    if (this.#unfinished !== '') this.#add(truncateLine(this.#unfinished));
    const lines = [...this.#head, ...this.#rows];
    const joined = (some: readonly string[]) => Buffer.from(some.map((line) => `${line}\n`).join(''), 'latin1');
    return { file: joined(lines), beyondAscii: joined(lines.filter(isBeyondAscii)) };
  }
}

/**
 * Whether some words of the file are UTF-8 and others aren't. Texts in other encodings rarely contain valid UTF-8 beyond
 * ASCII.
 * @param sample lines of the file
 */
function isMixedEncoding(sample: Buffer): boolean {
  // The last character may be incomplete.
  const text = new TextDecoder().decode(sample.subarray(0, -1), { stream: true });
  const runs = text.match(/[^\0-\x7f]+/gu) ?? [];
  const valid = runs.filter((run) => !run.includes('\ufffd')).length;
  return valid > 0 && valid * 3 >= runs.length;
}

/** Detects UTF-16 without a byte order mark by the NUL bytes of its ASCII characters. Binary files have fewer NUL bytes. */
function detectUtf16(start: Buffer, bytes: number): Encoding | undefined {
  const nulsAt = (parity: number) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length;
  const [even, odd] = [nulsAt(0), nulsAt(1)];
  const [more, fewer] = [Math.max(even, odd), Math.min(even, odd)];
  if (bytes % 2 === 1 || more === 0 || more * 20 < start.length || fewer * 4 > more) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

export class DoubtfulCodePage extends FileProblem {
  /**
   * @param sample lines of the file: the first lines, and some with non-ASCII bytes
   * @param line number of the first line with non-ASCII bytes
   */
  constructor(
    readonly candidates: readonly CodePage[],
    readonly sample: Buffer,
    override readonly line: number,
  ) {
    const message =
      'The file is not UTF-8, and its encoding is not certain. Save it as "CSV UTF-8", or name the encoding.';
    super('ENCODING_DOUBTFUL', message, line);
  }
}

/**
 * Returns the encoding of a file that isn't UTF-8.
 * @param fault the first byte that isn't UTF-8
 * @throws FileProblem
 */
async function guessEncoding({ line, byte }: BadByte, sample: RowSample): Promise<Encoding> {
  const { file, beyondAscii } = sample.finish();
  const { encoding, candidates } = isMixedEncoding(beyondAscii) ? { candidates: [] } : await guessCodePage(beyondAscii);
  if (encoding !== undefined) return encoding;
  if (candidates.length > 0) throw new DoubtfulCodePage(candidates, file, line);
  throw new FileProblem(
    'ENCODING_UNKNOWN',
    `The file is not UTF-8: line ${line}, byte ${byte} can't be decoded, and its encoding can't be detected. Save it as "CSV UTF-8", or name its encoding with --encoding.`,
    line,
  );
}

/** Returns the first byte that isn't UTF-8, or undefined. Reads the text up to that byte. */
async function findInvalidUtf8(chunks: AsyncIterable<Buffer>): Promise<BadByte | undefined> {
  try {
    for await (const _ of decodeToUtf8('utf-8', chunks));
  } catch (error) {
    if (error instanceof BadByte) return error;
    if (!(error instanceof WrongByteOrderMark)) throw error;
  }
  return undefined;
}

/**
 * Reads a whole file once to find its hash, type and encoding. Every byte can affect the result.
 * @param wanted encoding to use instead of detecting one
 * @throws AppError `IMPORT_FILE_INVALID` if the file is neither text nor a ZIP file, or its encoding is uncertain
 *   ({@link DoubtfulCodePage})
 */
export async function inspectFile(
  chunks: AsyncIterable<Buffer>,
  wanted: Encoding | 'auto' = 'auto',
): Promise<Inspection> {
  const sha256 = createHash('sha256');
  const sample = new RowSample();
  let start: Buffer = Buffer.alloc(0);
  let [bytes, hasNul, hasEncryptedStream] = [0, false, false];
  async function* read() {
    for await (const chunk of chunks) {
      sha256.update(chunk);
      bytes += chunk.length;
      hasNul ||= chunk.includes(0);
      // A stream's name never spans two chunks: it lies within a sector.
      hasEncryptedStream ||= chunk.includes(encryptedStream);
      if (start.length < signatureBytes)
        start = Buffer.concat([start, chunk.subarray(0, signatureBytes - start.length)]);
      sample.push(chunk);
      yield chunk;
    }
  }
  const source = read();
  // The iterator has no `return`, so that the bytes after a fault are still read.
  const fault = await findInvalidUtf8({ [Symbol.asyncIterator]: () => ({ next: () => source.next() }) });
  for await (const _ of source);
  if (isZip(start))
    return { sha256: sha256.digest('hex'), isWorkbook: true, encoding: 'utf-8', byteOrderMark: false, bytes };
  const refusal = findWrongType(start, hasEncryptedStream);
  if (refusal) throw refusal;
  const marked = encodingOfByteOrderMark(start);
  const detectEncoding = async () => {
    if (fault === undefined) return 'utf-8';
    if (!hasNul) return guessEncoding(fault, sample);
    const encoding = detectUtf16(start, bytes);
    if (encoding !== undefined) return encoding;
    throw fault.isNul ? fault : new FileProblem('NOT_CSV', `The file is binary, not CSV. ${saveAsCsv}`);
  };
  const encoding = wanted === 'auto' ? (marked ?? (await detectEncoding())) : wanted;
  return { sha256: sha256.digest('hex'), isWorkbook: false, encoding, byteOrderMark: marked !== undefined, bytes };
}
