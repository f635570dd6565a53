import { crc32, deflateRawSync } from 'node:zlib';

/** A part of an archive, and false statements about this part. */
export interface Part {
  name: string;
  content: string | Uint8Array;
  /** Compression method; deflate by default. */
  method?: 'stored' | 'data descriptor' | 'zip64' | 'encrypted';
  /** False sizes and checksum. */
  told?: { size?: number; checksum?: number };
}

const methodOf = ({ method }: Part) => (method === 'stored' ? 0 : 8);

const flagsOf = ({ method }: Part) => (method === 'encrypted' ? 1 : method === 'data descriptor' ? 8 : 0);

function numbers(...list: readonly (readonly [value: number, bytes: 2 | 4 | 8])[]): Buffer {
  return Buffer.concat(
    list.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value));
      else buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}

const unknown = 0xffffffff;

/** Returns the header before the bytes of a part, and its entry in the directory. */
function headersOf(part: Part, raw: Buffer, stored: Buffer, offset: number): { local: Buffer; entry: Buffer } {
  const name = Buffer.from(part.name);
  const isLarge = part.method === 'zip64';
  const isLate = part.method === 'data descriptor';
  const [checksum, size] = [part.told?.checksum ?? crc32(raw), part.told?.size ?? raw.length];
  const extra = isLarge ? numbers([1, 2], [16, 2], [size, 8], [stored.length, 8]) : Buffer.alloc(0);
  const fields = (isKnown: boolean) =>
    numbers(
      [45, 2],
      [flagsOf(part), 2],
      [methodOf(part), 2],
      [0, 4],
      [isKnown ? checksum : 0, 4],
      [isKnown ? (isLarge ? unknown : stored.length) : 0, 4],
      [isKnown ? (isLarge ? unknown : size) : 0, 4],
      [name.length, 2],
      [extra.length, 2],
    );
  const local = Buffer.concat([numbers([0x04034b50, 4]), fields(!isLate), name, extra]);
  const entry = Buffer.concat([
    numbers([0x02014b50, 4], [45, 2]),
    fields(true),
    numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
    name,
    extra,
  ]);
  return { local, entry };
}

export function zip(parts: readonly Part[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const raw = Buffer.from(part.content);
    const stored = methodOf(part) === 0 ? raw : deflateRawSync(raw);
    const { local, entry } = headersOf(part, raw, stored, offset);
    const late = numbers([0x08074b50, 4], [crc32(raw), 4], [stored.length, 4], [raw.length, 4]);
    const piece = Buffer.concat([local, stored, ...(part.method === 'data descriptor' ? [late] : [])]);
    pieces.push(piece);
    directory.push(entry);
    offset += piece.length;
  }
  const length = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = numbers([0x06054b50, 4], [0, 4], [parts.length, 2], [parts.length, 2], [length, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...pieces, ...directory, end]);
}
