import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Encoding } from '../../../schemas/import.js';
import { guessCodePage } from './code-pages.js';
import { firstInvalidUtf8, unfinishedUtf8 } from './decoders.js';
import { doubtfulEncoding } from './doubtful-encoding.js';
import { binary, LinePosition, markedEncoding } from './encodings.js';
import { RowSample } from './row-sample.js';
import { FileProblem } from './source-file.js';

/** The result of one pass over all bytes of a file. */
export interface Inspection {
  sha256: string;
  encoding: Encoding;
  byteOrderMark: boolean;
  bytes: number;
}

/** How many bytes of a file are searched for the signature of its type; enough for spreadsheets, which are ZIP files. */
const signatureBytes = 4096;

const excelWords = 'Open it and save it as "CSV UTF-8", then import that.';

/** The type of a file that people mistake for CSV, with advice. */
function knownType(start: Buffer): string | undefined {
  const begins = (...bytes: number[]) => start.subarray(0, bytes.length).equals(Buffer.from(bytes));
  if (begins(0x50, 0x4b, 0x03, 0x04) || begins(0x50, 0x4b, 0x05, 0x06)) {
    if (start.includes('opendocument.spreadsheet')) return `an OpenDocument spreadsheet (.ods). ${excelWords}`;
    if (start.includes('[Content_Types].xml') || start.includes('xl/'))
      return `an Excel workbook (.xlsx). ${excelWords}`;
    if (start.includes('Index/Document.iwa') || start.includes('Index/Tables/'))
      return 'a Numbers spreadsheet (.numbers). Export it to CSV in UTF-8 (File, Export To), then import that.';
    return 'a ZIP archive. Unpack it and import the CSV file in it.';
  }
  if (begins(0xd0, 0xcf, 0x11, 0xe0)) return `an old Excel workbook (.xls). ${excelWords}`;
  if (begins(0x25, 0x50, 0x44, 0x46, 0x2d)) return 'a PDF document. Export the table as "CSV UTF-8" and import that.';
  if (begins(0x1f, 0x8b)) return 'compressed with gzip. Unpack it and import the CSV file in it.';
  const text = start.subarray(0, 256).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*<(!doctype html|html|head|meta|table)\b/i.test(text))
    return `a web page (HTML). ${excelWords}`;
  if (/^(\xef\xbb\xbf)?\s*<\?xml\b/i.test(text)) return `an XML document. ${excelWords}`;
  return undefined;
}

/** Detects the encoding of a file from all of its bytes, not from a sample. */
class EncodingDetector {
  #start: Buffer = Buffer.alloc(0);
  readonly #position = new LinePosition();
  #unfinished: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #evenNuls = 0;
  #oddNuls = 0;
  #firstNul: { line: number; byte: number } | undefined;
  #firstInvalid: { line: number; byte: number } | undefined;
  readonly #sample = new RowSample();

  push(chunk: Buffer): void {
    if (this.#start.length < signatureBytes) {
      this.#start = Buffer.concat([this.#start, chunk.subarray(0, signatureBytes - this.#start.length)]);
    }
    this.#countNuls(chunk);
    this.#sample.push(chunk);
    const bytes = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, chunk]) : chunk;
    const end = bytes.length - unfinishedUtf8(bytes);
    this.#unfinished = bytes.subarray(end);
    this.#look(bytes.subarray(0, end));
  }

  /** @param assumed the encoding that the options name */
  async finish(assumed: Encoding | 'auto'): Promise<Omit<Inspection, 'sha256'>> {
    const unfinished = this.#unfinished;
    this.#unfinished = Buffer.alloc(0);
    this.#look(unfinished);
    const type = knownType(this.#start);
    if (type !== undefined) throw new FileProblem('NOT_CSV', `The file is ${type}`);
    const marked = markedEncoding(this.#start);
    const encoding = assumed === 'auto' ? (marked ?? (await this.#unmarked())) : assumed;
    return { encoding, byteOrderMark: marked !== undefined, bytes: this.#bytes };
  }

  async #unmarked(): Promise<Encoding> {
    if (this.#firstNul !== undefined) {
      // In UTF-16, each ASCII character (delimiters, line breaks, digits, addresses) has a NUL; binary files have fewer.
      const [more, fewer] = [Math.max(this.#evenNuls, this.#oddNuls), Math.min(this.#evenNuls, this.#oddNuls)];
      if (this.#bytes % 2 === 1 || more * 20 < this.#bytes || fewer * 4 > more)
        throw binary(this.#firstNul.line, this.#firstNul.byte);
      return this.#oddNuls > this.#evenNuls ? 'utf-16le' : 'utf-16be';
    }
    if (this.#firstInvalid === undefined) return 'utf-8';
    const { line, byte } = this.#firstInvalid;
    const { file, beyondAscii } = this.#sample.finish();
    const { encoding, candidates } = isMixture(beyondAscii) ? { candidates: [] } : await guessCodePage(beyondAscii);
    if (encoding !== undefined) return encoding;
    if (candidates.length > 0) throw await doubtfulEncoding(file, candidates, line);
    throw new FileProblem(
      'ENCODING_UNKNOWN',
      `The file is not UTF-8: line ${line}, byte ${byte} can't be decoded, and its encoding can't be detected. Save it as "CSV UTF-8", or name its encoding with --encoding.`,
      line,
    );
  }

  #countNuls(chunk: Buffer): void {
    if (!chunk.includes(0)) return;
    // In UTF-16 every other byte is a NUL: a loop is faster than repeated searches.
    const start = this.#bytes + this.#unfinished.length;
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] !== 0) continue;
      if ((start + at) % 2 === 0) this.#evenNuls += 1;
      else this.#oddNuls += 1;
    }
  }

  /** Examines bytes that, in UTF-8, end with a whole character. A file with a NUL is neither UTF-8 nor in a code page. */
  #look(bytes: Buffer): void {
    if (this.#firstNul !== undefined) {
      this.#bytes += bytes.length;
      return;
    }
    const nul = bytes.indexOf(0);
    if (nul >= 0) this.#firstNul = this.#place(bytes, nul);
    else if (this.#firstInvalid === undefined && !isUtf8(bytes))
      this.#firstInvalid = this.#place(bytes, firstInvalidUtf8(bytes));
    this.#position.pass(bytes);
    this.#bytes += bytes.length;
  }

  #place(bytes: Buffer, index: number): { line: number; byte: number } {
    return { line: this.#position.after(bytes.subarray(0, index)), byte: this.#bytes + index + 1 };
  }
}

function* runsBeyondAscii(bytes: Buffer): Generator<Buffer> {
  let start = -1;
  for (let at = 0; at <= bytes.length; at += 1) {
    if (at < bytes.length && bytes.readUInt8(at) >= 0x80) start = start < 0 ? at : start;
    else if (start >= 0) {
      yield bytes.subarray(start, at);
      start = -1;
    }
  }
}

/** A sample without a character at its end that was cut, with the file. */
function cutOff(sample: Buffer): Buffer {
  const text = sample.subarray(0, -1);
  return text.subarray(0, text.length - unfinishedUtf8(text));
}

/** Whether a file that isn't UTF-8 has words in it: in texts of other encodings, few look so. @param sample of its lines */
function isMixture(sample: Buffer): boolean {
  let [valid, invalid] = [0, 0];
  for (const run of runsBeyondAscii(cutOff(sample)))
    if (isUtf8(run)) valid += 1;
    else invalid += 1;
  return valid > 0 && valid * 2 >= invalid;
}

/**
 * Reads a whole file once for its hash, type and encoding.
 * @param encoding overrides the detected encoding
 * @throws AppError `IMPORT_FILE_INVALID` for a file that is not text, or whose encoding is uncertain
 */
export async function inspectFile(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding | 'auto' = 'auto',
): Promise<Inspection> {
  const sha256 = createHash('sha256');
  const detector = new EncodingDetector();
  for await (const chunk of chunks) {
    sha256.update(chunk);
    detector.push(chunk);
  }
  return { sha256: sha256.digest('hex'), ...(await detector.finish(encoding)) };
}
