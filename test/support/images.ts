import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Returns an image with a red left half and a blue right half, which shows rotations. */
export function redBlueImage(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let index = 0; index < width * height; index += 1) pixels[index * 3 + (index % width < width / 2 ? 0 : 2)] = 255;
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Pixel format of a PNG: bits of a sample, colour type and interlacing (PNG, section 11.2.1). */
interface PngFormat {
  bits: 1 | 8 | 16;
  colour: 0 | 2 | 6;
  interlaced: boolean;
}

const samples = { 0: 1, 2: 3, 6: 4 } as const;

/** Start and step of each pass of an interlaced image (PNG, section 8.2). */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function bytesOf(width: number, height: number, { bits, colour, interlaced }: PngFormat): number {
  const rows = (wide: number, high: number) =>
    wide === 0 ? 0 : (Math.ceil((wide * bits * samples[colour]) / 8) + 1) * high;
  if (!interlaced) return rows(width, height);
  return passes.reduce(
    (sum, [left, top, right, down]) =>
      sum + rows(Math.ceil((width - left) / right), Math.max(0, Math.ceil((height - top) / down))),
    0,
  );
}

/** Returns a PNG that contains only zeros, with any number of pixels. */
export function emptyPng(
  width: number,
  height: number,
  form: PngFormat = { bits: 1, colour: 0, interlaced: false },
): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([form.bits, form.colour, 0, 0, Number(form.interlaced)], 8);
  const rows = deflateSync(Buffer.alloc(bytesOf(width, height, form)), { level: 1 });
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

/**
 * Returns a progressive JPEG of a single colour. Decoders must keep the whole image in memory before they output the
 * first line.
 */
export function progressiveJpeg(width: number, height: number, colours: 'srgb' | 'cmyk' = 'srgb'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false })
    .toColourspace(colours)
    .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

/**
 * Returns a black square as JPEG, which encodes its coefficients one by one and bit by bit. A scan takes 30 bytes, and
 * makes decoders pass over the whole image (ITU T.81, annex G).
 * @param size side in pixels, a power of 2 from 8
 * @param scans at most 883
 */
export function jpegOfScans(size: number, scans: number): Buffer {
  const segment = (marker: number, content: readonly number[]) =>
    Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff, ...content]);
  const blocks = (size / 8) ** 2;
  const runBits = Math.min(14, Math.log2(blocks));
  // Each table has one code, the bit 0: "no difference", and "the given number of blocks has no more data".
  const table = (kind: number, symbol: number) => segment(0xc4, [kind, 1, ...Array<number>(15).fill(0), symbol]);
  const scan = (first: number, before: number, now: number, bits: number) =>
    Buffer.concat([
      segment(0xda, [1, 1, 0, first, first, (before << 4) | now]),
      // All codes and numbers are zeros. The rest of the last byte is filled with ones.
      Buffer.alloc(Math.floor(bits / 8)),
      Buffer.from(bits % 8 === 0 ? [] : [0xff >> (bits % 8)]),
    ]);
  const refinements = Array.from({ length: 63 * 14 }, (_, index) => {
    const now = 13 - (index % 14);
    return [1 + Math.floor(index / 14), now === 13 ? 0 : now + 1, now] as const;
  });
  const runs = Math.ceil(blocks / 2 ** runBits);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc2, [8, size >> 8, size & 0xff, size >> 8, size & 0xff, 1, 1, 0x11, 0]),
    table(0x00, 0),
    table(0x10, runBits << 4),
    scan(0, 0, 0, blocks),
    ...refinements.slice(0, scans - 1).map(([first, before, now]) => scan(first, before, now, runs * (1 + runBits))),
    Buffer.from([0xff, 0xd9]),
  ]);
}
