import { encoded } from '../../../csv/format.js';
import { AppError } from '../../../errors.js';
import type { Encoding } from '../../../schemas/import.js';
import { decoderOf } from './decoders.js';
import { FileProblem } from './source-file.js';

/** The names of the encodings for people. */
export const encodingNames: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'windows-1252': 'Windows-1252 (Western)',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1255': 'Windows-1255 (Hebrew)',
  'windows-1256': 'Windows-1256 (Arabic)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'windows-874': 'Windows-874 (Thai)',
  macintosh: 'Mac Roman (Western)',
  shift_jis: 'Shift_JIS (Japanese)',
  gb18030: 'GB18030 (Simplified Chinese)',
  big5: 'Big5 (Traditional Chinese)',
  'euc-kr': 'EUC-KR (Korean)',
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMarks: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.of(0xef, 0xbb, 0xbf)],
  ['utf-16le', Buffer.of(0xff, 0xfe)],
  ['utf-16be', Buffer.of(0xfe, 0xff)],
];
const longestMark = 3;

/** The encoding of the byte order mark, if there is one. */
export function markedEncoding(start: Buffer): Encoding | undefined {
  return byteOrderMarks.find(([, mark]) => start.subarray(0, mark.length).equals(mark))?.[0];
}

/** Counts lines that end in LF, CRLF or CR, in an encoding in which each of these characters is one byte. */
export class LinePosition {
  #line = 1;
  #afterReturn = false;

  /** The line of the byte that follows these. */
  after(bytes: Buffer): number {
    let line = this.#line;
    if (this.#afterReturn && bytes[0] === lineFeed) line -= 1;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) line += 1;
    for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1))
      if (bytes[at + 1] !== lineFeed) line += 1;
    return line;
  }

  /** Advances past these bytes. */
  pass(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#line = this.after(bytes);
    this.#afterReturn = bytes.at(-1) === carriageReturn;
  }
}

/** The refusal of bytes that are invalid in the encoding of the file. */
function undecodable(encoding: Encoding, line: number, byte: number): AppError {
  return new FileProblem(
    'UNDECODABLE',
    `The file is not ${encodingNames[encoding]}: line ${line}, byte ${byte} can't be decoded. Save it as "CSV UTF-8" and import it again.`,
    line,
  );
}

/** The refusal of a file that is not text. */
export function binary(line: number, byte: number): AppError {
  return new FileProblem(
    'NOT_CSV',
    `The file is binary, not CSV: line ${line}, byte ${byte} is a NUL. Save the spreadsheet as "CSV UTF-8" and import that.`,
  );
}

/** The chunks, with a first one that is long enough for a byte order mark. */
async function* markedChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start !== undefined) {
      start = Buffer.concat([start, chunk]);
      if (start.length < longestMark) continue;
      yield start;
      start = undefined;
    } else yield chunk;
  }
  if (start !== undefined && start.length > 0) yield start;
}

/**
 * Converts a text to UTF-8, in chunks of whole characters. A byte order mark is kept.
 * @throws AppError `IMPORT_FILE_INVALID` for invalid bytes, naming line and byte, both from 1
 */
export async function* decodedAs(encoding: Encoding, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = decoderOf(encoding);
  const position = new LinePosition();
  let unfinished: Buffer = Buffer.alloc(0);
  let offset = 0;

  /** Yields the text before a fault, then throws it. */
  function* decode(bytes: Buffer): Generator<Buffer> {
    const { utf8, bad } = decoder.decode(bytes);
    const nul = utf8.indexOf(0);
    if (nul >= 0) {
      const before = utf8.subarray(0, nul);
      if (nul > 0) yield before;
      throw binary(position.after(before), offset + encoded(before.toString(), encoding).length + 1);
    }
    if (utf8.length > 0) yield utf8;
    if (bad >= 0) throw undecodable(encoding, position.after(utf8), offset + bad + 1);
    position.pass(utf8);
    offset += bytes.length;
  }

  for await (const chunk of markedChunks(chunks)) {
    if (offset === 0 && unfinished.length === 0) assertMarkAgrees(encoding, chunk);
    const bytes = unfinished.length > 0 ? Buffer.concat([unfinished, chunk]) : chunk;
    const end = bytes.length - decoder.unfinished(bytes);
    unfinished = bytes.subarray(Math.max(end, 0));
    if (end > 0) yield* decode(bytes.subarray(0, end));
  }
  if (unfinished.length > 0) yield* decode(unfinished);
}

function assertMarkAgrees(encoding: Encoding, start: Buffer): void {
  const marked = markedEncoding(start);
  if (marked !== undefined && marked !== encoding)
    throw new AppError(
      'IMPORT_FILE_INVALID',
      `The file begins with the byte order mark of ${encodingNames[marked]}: it can't be read as ${encodingNames[encoding]}. Leave the encoding out and import it again.`,
    );
}
