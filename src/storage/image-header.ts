import { open } from 'node:fs/promises';

/** The problem of a picture that needs too much memory, by its header or while it is decoded. */
export const tooMuchMemory =
  'The image takes too much memory to prepare. Send it smaller, or saved without interlacing and with 8 bits a channel.';

/** The cost of decoding a picture, read from its headers. */
export interface ImageCost {
  /** Passes over all pixels: the scans of a JPEG; 1 for everything else. */
  scans: number;
  /** The memory that must be decoded before the first line, in bytes; 0 for pictures that are decoded line by line. */
  wholeBytes: number;
}

const lineByLine: ImageCost = { scans: 1, wholeBytes: 0 };
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Samples per pixel by colour type (PNG, table 11.1); a palette is expanded to red, green, blue and alpha. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/** The header of a PNG is its first chunk (PNG, section 11.2.1). An interlaced one is decoded as a whole. */
function pngCost(start: Buffer): ImageCost {
  if (start.length < 29 || start[28] === 0) return lineByLine;
  const [width, height] = [start.readUInt32BE(16), start.readUInt32BE(20)];
  const sampleBytes = start[24] === 16 ? 2 : 1;
  return { scans: 1, wholeBytes: width * height * (samplesOf[start[25] ?? 6] ?? 4) * sampleBytes };
}

const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Markers without a length: TEM, restarts and the start of the image (ITU T.81, table B.1). */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * The position of the next marker's second byte, from `at` on. Skips the data of scans, where 0xff is followed by 0 or by a
 * restart, and bytes between segments, as decoders do.
 */
function nextMarker(content: Buffer, at: number): number {
  for (let position = at; position < content.length - 1; position += 1) {
    const marker = content[position + 1];
    if (content[position] === 0xff && marker !== 0 && marker !== 0xff) return position + 1;
  }
  return content.length;
}

/** Counts the scans until the end of the image, or until there are more than `most`. */
function jpegScans(content: Buffer, most: number): number {
  let scans = 0;
  for (let at = nextMarker(content, 0); at < content.length; ) {
    const marker = content[at] ?? endOfImage;
    if (marker === endOfImage || scans > most) break;
    if (marker === startOfScan) scans += 1;
    const length = isAlone(marker) || at + 2 >= content.length ? 0 : content.readUInt16BE(at + 1);
    at = nextMarker(content, at + 1 + length);
  }
  return scans;
}

/**
 * Reads the cost of a picture.
 * @param maxScans counting may stop beyond this number
 */
export async function imageCost(file: string, maxScans: number): Promise<ImageCost> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(33), 0, 33, 0);
    const start = buffer.subarray(0, bytesRead);
    if (start.subarray(0, 8).equals(pngSignature)) return pngCost(start);
    if (start[0] !== 0xff || start[1] !== 0xd8) return lineByLine;
    // Uploads of pictures are limited to some megabytes.
    return { scans: jpegScans(await handle.readFile(), maxScans), wholeBytes: 0 };
  } finally {
    await handle.close();
  }
}
