/**
 * The process that prepares pictures, one after the other: see image-process.ts. It ends with the service, and may be killed
 * at any time, because it has nothing to clean up.
 */
import { writeFile } from 'node:fs/promises';
import { systemErrorCode } from '../errors.js';
import { imageCost, tooMuchMemory } from './image-header.js';
import type { ImageReply, ImageTask } from './image-process.js';

/** More than any program writes: encoders write about 10 scans, optimisers up to about 20. */
const maxScans = 64;
/** The interval of the memory check, in milliseconds; decoding takes some megabytes in that time. */
const memoryCheckMs = 10;

const tooManyScans = `The image may have at most ${maxScans} scans. Save it again as a plain JPEG.`;

/** A problem of the picture; its message is for the sender. */
class ImageProblem extends Error {}

const end = () => process.kill(process.pid, 'SIGKILL');
// A terminal sends these to the whole process group; the service ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', end);

async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // The content decides the format, whatever the file's name; only these three loaders are enabled.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
  // No picture is used twice, and other cores are for requests.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** Translates an error of libvips, which has no codes. */
function pictureFault({ message }: Error, maxPixels: number): ImageProblem {
  if (/exceeds pixel limit/i.test(message))
    return new ImageProblem(`The image may have at most ${maxPixels / 1_000_000} megapixels.`);
  if (/unsupported image format/i.test(message))
    return new ImageProblem('The image must be a JPEG, PNG or WebP picture.');
  // The format is supported, but the file can't be read to its end.
  return new ImageProblem('The image is damaged.');
}

async function convert(
  { source, maxPixels, width, height, wholeBytes }: ImageTask,
  sharp: Awaited<ReturnType<typeof loadSharp>>,
) {
  const cost = await imageCost(source, maxScans);
  if (cost.scans > maxScans) throw new ImageProblem(tooManyScans);
  const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 });
  try {
    // Checks the format and the number of pixels first.
    await image.metadata();
    if (cost.wholeBytes > wholeBytes) throw new ImageProblem(tooMuchMemory);
    return await image
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    throw error instanceof Error && !(error instanceof ImageProblem) ? pictureFault(error, maxPixels) : error;
  }
}

async function prepare(task: ImageTask, sharp: Awaited<ReturnType<typeof loadSharp>>): Promise<ImageReply> {
  try {
    const { data, info } = await convert(task, sharp);
    // Not with libvips, which doesn't report why writing failed.
    await writeFile(task.target, data, { mode: 0o600 });
    return { prepared: { bytes: info.size, width: info.width, height: info.height } };
  } catch (error) {
    if (error instanceof ImageProblem) return { problem: error.message };
    return { fault: { message: String(error), code: systemErrorCode(error) } };
  }
}

const sharp = await loadSharp();
/** The memory of this process without a picture, in bytes. */
const baseBytes = process.memoryUsage.rss();

process.on('message', async (task: ImageTask) => {
  const maxBytes = baseBytes + task.growthBytes;
  // The only way to limit libvips, which works in other threads and with memory outside V8.
  const watch = setInterval(() => process.memoryUsage.rss() > maxBytes && end(), memoryCheckMs);
  const reply = await prepare(task, sharp);
  clearInterval(watch);
  process.send?.(reply);
});
process.send?.({ ready: true } satisfies ImageReply);
