import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import type { CodePage, Encoding } from '../../../schemas/import.js';

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

/** The length of the UTF-8 character that begins with this byte; 1 or more for bytes that begin none. */
const utf8LengthFrom = (byte: number) => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);

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

/** Turns whole characters of an encoding into UTF-8. */
interface Decoder {
  /** How many bytes at the end of a chunk must wait for the next; the chunk begins with a character. */
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

const utf8: Decoder = {
  unfinished: unfinishedUtf8,
  decode(bytes) {
    const bad = isUtf8(bytes) ? -1 : firstInvalidUtf8(bytes);
    return { utf8: bad < 0 ? bytes : bytes.subarray(0, bad), bad };
  },
};

/** The length of a character of these code pages, by its first two bytes. */
const multibyteLengths: Partial<Readonly<Record<CodePage, (first: number, second: number) => number>>> = {
  shift_jis: (first) => ((first >= 0x81 && first <= 0x9f) || (first >= 0xe0 && first <= 0xfc) ? 2 : 1),
  gb18030: (first, second) => (first <= 0x80 ? 1 : second >= 0x30 && second <= 0x39 ? 4 : 2),
  big5: (first) => (first <= 0x80 ? 1 : 2),
  'euc-kr': (first) => (first <= 0x80 ? 1 : 2),
};

/** Below it stand delimiters, quotes and line breaks; no such byte is the second, third or fourth of a character. */
const lowestTrail = 0x30;

/** How many bytes at the end of a chunk belong to a character that may end in the next one. */
function unfinishedMultibyte(bytes: Buffer, lengthOf: (first: number, second: number) => number): number {
  let at = bytes.length;
  while (at > 0 && bytes.readUInt8(at - 1) >= lowestTrail) at -= 1;
  while (at < bytes.length) {
    // Where the second byte isn't there, the length doesn't matter if it is more than one.
    const length = lengthOf(bytes.readUInt8(at), bytes[at + 1] ?? 0);
    if (at + length > bytes.length) return bytes.length - at;
    at += length;
  }
  return 0;
}

/** What iconv-lite gives for bytes that it can't decode. */
const replacement = '\ufffd';

function codePage(encoding: CodePage): Decoder {
  const lengthOf = multibyteLengths[encoding];
  return {
    unfinished: (bytes) => (lengthOf === undefined || isAscii(bytes) ? 0 : unfinishedMultibyte(bytes, lengthOf)),
    decode(bytes) {
      if (isAscii(bytes)) return { utf8: bytes, bad: -1 };
      const text = iconv.decode(bytes, encoding);
      const end = text.indexOf(replacement);
      if (end < 0) return { utf8: Buffer.from(text), bad: -1 };
      const before = text.slice(0, end);
      return { utf8: Buffer.from(before), bad: iconv.encode(before, encoding).length };
    },
  };
}

/** The decoder of an encoding. */
export function decoderOf(encoding: Encoding): Decoder {
  switch (encoding) {
    case 'utf-8':
      return utf8;
    case 'utf-16le':
    case 'utf-16be':
      return utf16(encoding);
    default:
      return codePage(encoding);
  }
}
