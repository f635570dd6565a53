import { isUtf8 } from 'node:buffer';
import { AppError } from '../../errors.js';

const byteOrderMark = Buffer.from('\ufeff');
const [lineFeed, carriageReturn] = [0x0a, 0x0d];

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

/** How many bytes a character has that begins with this one; of bytes that begin none, 1 or more. */
const lengthFrom = (byte: number) => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);

/** How many bytes at the end belong to a character or a line break that may go on in the next chunk. */
function unfinishedBytes(bytes: Buffer): number {
  if (bytes.at(-1) === carriageReturn) return 1;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    if (!isContinuation(byte)) return lengthFrom(byte) > back ? back : 0;
  }
  return 0;
}

/** Index of the first byte of what doesn't decode. */
function firstUndecodable(bytes: Buffer): number {
  let index = 0;
  while (index < bytes.length) {
    const length = lengthFrom(bytes.readUInt8(index));
    if (!isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
  return index;
}

/** Line breaks of any kind: LF, CRLF, CR. */
function countLineBreaks(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1))
    if (bytes[at + 1] !== lineFeed) count += 1;
  return count;
}

/**
 * Passes UTF-8 on, in whole characters and without a byte order mark.
 * @throws AppError `IMPORT_FILE_INVALID` for anything else, naming line and byte, both from 1
 */
export async function* checkedUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unfinished: Buffer = Buffer.alloc(0);
  let [line, offset] = [1, 0];

  function checked(bytes: Buffer): Buffer {
    if (!isUtf8(bytes)) {
      const bad = firstUndecodable(bytes);
      throw new AppError(
        'IMPORT_FILE_INVALID',
        `The file is not UTF-8: line ${line + countLineBreaks(bytes.subarray(0, bad))}, byte ${offset + bad + 1} can't be decoded. Save it as "CSV UTF-8" and import it again.`,
      );
    }
    const hasMark = offset === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    line += countLineBreaks(bytes);
    offset += bytes.length;
    return hasMark ? bytes.subarray(byteOrderMark.length) : bytes;
  }

  for await (const chunk of chunks) {
    const bytes = unfinished.length > 0 ? Buffer.concat([unfinished, chunk]) : chunk;
    const end = bytes.length - unfinishedBytes(bytes);
    unfinished = bytes.subarray(end);
    if (end > 0) yield checked(bytes.subarray(0, end));
  }
  if (unfinished.length > 0) yield checked(unfinished);
}
