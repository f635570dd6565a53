import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { AppError } from '../../../errors.js';
import type { Encoding } from '../../../schemas/import.js';
import { FileProblem } from './file-problem.js';

/** The names of the encodings for people. */
export const encodingNames: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252',
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

/** Bytes that Windows-1252 doesn't define. */
const undefined1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** Index of the first byte that Windows-1252 doesn't define; -1 when there is none. */
export function firstUndefined1252(bytes: Buffer): number {
  const found = undefined1252.map((byte) => bytes.indexOf(byte)).filter((index) => index >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

/** The length of the UTF-8 character that begins with this byte; 1 or more for bytes that begin none. */
export const utf8LengthFrom = (byte: number) => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);

/** How many bytes at the end of UTF-8 belong to a character that may end in the next chunk. */
export function unfinishedUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    if (!isContinuation(byte)) return utf8LengthFrom(byte) > back ? back : 0;
  }
  return 0;
}

/** Index of the first byte that is not valid UTF-8; the length when all are. */
export function firstInvalidUtf8(bytes: Buffer): number {
  let index = 0;
  while (index < bytes.length) {
    const length = utf8LengthFrom(bytes.readUInt8(index));
    if (!isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
  return index;
}

/** Counts lines that end in LF, CRLF or CR, in an encoding in which each of these characters is one byte. */
export class LinePosition {
  #line = 1;
  #afterReturn = false;

  /** The line of the byte that follows these. @param bytes ASCII, UTF-8 or Windows-1252 */
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

/** Turns whole characters of an encoding into UTF-8. */
interface Decoder {
  /** How many bytes at the end of a chunk must wait for the next. */
  unfinished(bytes: Buffer): number;
  /**
   * `utf8`: the characters before the first byte that can't be decoded, or all. `bad`: the index of this byte; -1 when all
   * can be decoded.
   */
  decode(bytes: Buffer): { utf8: Buffer; bad: number };
}

const highByte = { 'utf-16le': 1, 'utf-16be': 0 } as const;

function utf16(encoding: 'utf-16le' | 'utf-16be'): Decoder {
  // Buffer's own decoder is faster than TextDecoder and iconv-lite: see docs/DECISIONS.md.
  const textOf = (units: Buffer) => (encoding === 'utf-16le' ? units : Buffer.from(units).swap16()).toString('utf16le');
  return {
    unfinished(bytes) {
      const odd = bytes.length % 2;
      const last = bytes[bytes.length - odd - 2 + highByte[encoding]] ?? 0;
      return odd + ((last & 0xfc) === 0xd8 ? 2 : 0);
    },
    decode(bytes) {
      const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
      const text = textOf(units);
      if (text.isWellFormed()) return { utf8: Buffer.from(text), bad: units.length < bytes.length ? units.length : -1 };
      const unpaired = text.search(/\p{Cs}/u);
      return { utf8: Buffer.from(text.slice(0, unpaired)), bad: 2 * unpaired };
    },
  };
}

/** The text before a bad byte, as its encoding's `toUtf8` gives it. */
const upTo = (bad: number, bytes: Buffer, toUtf8: (bytes: Buffer) => Buffer) => ({
  utf8: toUtf8(bad < 0 ? bytes : bytes.subarray(0, bad)),
  bad,
});

const decoders: Readonly<Record<Encoding, Decoder>> = {
  'utf-8': {
    unfinished: unfinishedUtf8,
    decode: (bytes) => upTo(isUtf8(bytes) ? -1 : firstInvalidUtf8(bytes), bytes, (valid) => valid),
  },
  'utf-16le': utf16('utf-16le'),
  'utf-16be': utf16('utf-16be'),
  'windows-1252': {
    unfinished: () => 0,
    decode: (bytes) =>
      isAscii(bytes)
        ? { utf8: bytes, bad: -1 }
        : upTo(firstUndefined1252(bytes), bytes, (valid) => Buffer.from(iconv.decode(valid, 'windows-1252'))),
  },
};

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
  const decoder = decoders[encoding];
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
      const place = encoding.startsWith('utf-16') ? 2 * before.toString().length : nul;
      throw binary(position.after(before), offset + place + 1);
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
