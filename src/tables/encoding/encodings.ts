import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { AppError } from '../../errors.js';
import type { Encoding } from '../../schemas/file-format.js';
import { encodeText } from '../write/csv.js';
import { FileProblem } from './source-file.js';

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

const byteOrderMarks: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.of(0xef, 0xbb, 0xbf)],
  ['utf-16le', Buffer.of(0xff, 0xfe)],
  ['utf-16be', Buffer.of(0xfe, 0xff)],
];
const maxByteOrderMarkBytes = 3;

/** Returns the encoding of the byte order mark, or undefined if there is none. */
export function encodingOfByteOrderMark(start: Buffer): Encoding | undefined {
  return byteOrderMarks.find(([, mark]) => start.subarray(0, mark.length).equals(mark))?.[0];
}

/** Lowest byte that may be a part of a longer character, except in UTF-16. Delimiters, quotes and line breaks are lower. */
const minTrailByte = 0x30;
/** Maximum bytes to collect until a lower byte follows. A longer text without one is no table, and is decoded as it is. */
const maxUndelimitedBytes = 256 * 1024;

const isUtf16 = (encoding: Encoding) => encoding === 'utf-16le' || encoding === 'utf-16be';

/** Counts the leading bytes that form whole characters, whatever follows. */
function countWholeCharacterBytes(bytes: Buffer, encoding: Encoding): number {
  if (isUtf16(encoding)) {
    const even = bytes.length - (bytes.length % 2);
    const last = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
    // The text ends with the first half of a surrogate pair.
    return (last & 0xfc) === 0xd8 ? even - 2 : even;
  }
  const inUtf8 = encoding === 'utf-8';
  const last = bytes.findLastIndex((byte) => (inUtf8 ? (byte & 0xc0) !== 0x80 : byte < minTrailByte));
  // In UTF-8, a longer character begins at `last`.
  const end = last < 0 || (bytes[last] ?? 0) >= 0x80 ? last : last + 1;
  return end <= 0 && bytes.length > maxUndelimitedBytes ? bytes.length : Math.max(0, end);
}

/** Returns the index of the first byte that isn't valid UTF-8, or the length. */
function firstInvalidUtf8(bytes: Buffer): number {
  let index = 0;
  for (const character of bytes.toString()) {
    const length = Buffer.byteLength(character);
    if (character === '\ufffd' && !isUtf8(bytes.subarray(index, index + length))) break;
    index += length;
  }
  return index;
}

/** Decodes bytes up to the first invalid byte. `bad` is the index of that byte, or -1. */
function decode(bytes: Buffer, encoding: Encoding): { utf8: Buffer; bad: number } {
  if (encoding === 'utf-8') {
    const bad = isUtf8(bytes) ? -1 : firstInvalidUtf8(bytes);
    return { utf8: bad < 0 ? bytes : bytes.subarray(0, bad), bad };
  }
  const isUnits = isUtf16(encoding);
  if (!isUnits && isAscii(bytes)) return { utf8: bytes, bad: -1 };
  const odd = isUnits ? bytes.length % 2 : 0;
  const text = iconv.decode(bytes.subarray(0, bytes.length - odd), encoding, { stripBOM: false });
  const unpaired = isUnits && !text.isWellFormed() ? text.search(/\p{Cs}/u) : -1;
  const end = isUnits ? unpaired : text.indexOf('\ufffd');
  if (end < 0) return { utf8: Buffer.from(text), bad: odd === 0 ? -1 : bytes.length - 1 };
  const before = text.slice(0, end);
  return { utf8: Buffer.from(before), bad: encodeText(before, encoding).length };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts lines of UTF-8 text. Lines end in LF, CRLF or CR. */
class LineCounter {
  #line = 1;
  #afterReturn = false;

  /** Returns the line of the byte after these bytes. */
  lineAfter(bytes: Buffer): number {
    let line = this.#line;
    if (this.#afterReturn && bytes[0] === lineFeed) line -= 1;
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) line += 1;
    for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1))
      if (bytes[at + 1] !== lineFeed) line += 1;
    return line;
  }

  advance(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#line = this.lineAfter(bytes);
    this.#afterReturn = bytes.at(-1) === carriageReturn;
  }
}

export const saveAsCsv = 'Save the spreadsheet as "CSV UTF-8" and import that.';

/** Refusal of a file with an invalid byte. The line and the byte's number in the file count from 1. */
export class BadByte extends FileProblem {
  constructor(
    encoding: Encoding,
    override readonly line: number,
    readonly byte: number,
    readonly isNul: boolean,
  ) {
    super(
      isNul ? 'NOT_CSV' : 'UNDECODABLE',
      isNul
        ? `The file is binary, not CSV: line ${line}, byte ${byte} is a NUL. ${saveAsCsv}`
        : `The file is not ${encodingNames[encoding]}: line ${line}, byte ${byte} can't be decoded. Save it as "CSV UTF-8" and import it again.`,
      line,
    );
  }
}

/** Refusal of a file whose byte order mark belongs to another encoding. */
export class WrongByteOrderMark extends AppError {
  constructor(marked: Encoding, encoding: Encoding) {
    super(
      'IMPORT_FILE_INVALID',
      `The file begins with the byte order mark of ${encodingNames[marked]}: it can't be read as ${encodingNames[encoding]}. Leave the encoding out and import it again.`,
    );
  }
}

function assertMarkAgrees(encoding: Encoding, start: Buffer): void {
  const marked = encodingOfByteOrderMark(start);
  if (marked !== undefined && marked !== encoding) throw new WrongByteOrderMark(marked, encoding);
}

/**
 * Converts a text to UTF-8 in chunks of whole characters. Keeps a byte order mark.
 * @throws AppError `IMPORT_FILE_INVALID` after yielding the text before an invalid byte ({@link BadByte})
 */
export async function* decodeToUtf8(encoding: Encoding, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const position = new LineCounter();
  let unfinished: Buffer = Buffer.alloc(0);
  let offset = 0;

  function* decodePart(bytes: Buffer): Generator<Buffer> {
    const { utf8, bad } = decode(bytes, encoding);
    const nul = utf8.indexOf(0);
    const good = nul < 0 ? utf8 : utf8.subarray(0, nul);
    if (good.length > 0) yield good;
    const fault = nul < 0 ? bad : encodeText(good.toString(), encoding).length;
    if (fault >= 0) throw new BadByte(encoding, position.lineAfter(good), offset + fault + 1, nul >= 0);
    position.advance(utf8);
    offset += bytes.length;
  }

  for await (const chunk of chunks) {
    const bytes = unfinished.length > 0 ? Buffer.concat([unfinished, chunk]) : chunk;
    const end = bytes.length < maxByteOrderMarkBytes ? 0 : countWholeCharacterBytes(bytes, encoding);
    unfinished = bytes.subarray(end);
    if (end === 0) continue;
    if (offset === 0) assertMarkAgrees(encoding, bytes);
    yield* decodePart(bytes.subarray(0, end));
  }
  if (offset === 0) assertMarkAgrees(encoding, unfinished);
  if (unfinished.length > 0) yield* decodePart(unfinished);
}
