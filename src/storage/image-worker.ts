/**
 * A process of its own that prepares pictures, one after the other: see image-process.ts. It ends when the service does, and
 * whenever it is killed: nothing here has to be put in order then.
 */
import { writeFile } from 'node:fs/promises';
import { systemErrorCode } from '../errors.js';
import { imageCost, tooMuchMemory } from './image-header.js';
import type { ImageReply, ImageTask } from './image-process.js';

/** More than any program writes: encoders make about 10, the most thorough optimisers some 20. */
const mostScans = 64;
/** How often memory is looked at, in milliseconds: what is unpacked between two looks is some megabytes. */
const lookEveryMs = 10;

const tooManyScans = `The image may have at most ${mostScans} scans. Save it again as a plain JPEG.`;

/** What is wrong with the picture, in words for the one who sent it. */
class ImageProblem extends Error {}

const end = () => process.kill(process.pid, 'SIGKILL');
// Told to the whole group of processes, these are for the service: it ends this one when nobody needs it any more.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', end);

async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // Whatever a file is called, what it holds decides: only these three loaders are left.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
  // No picture is used twice, and requests are to be answered meanwhile.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** What libvips says about a file. */
function pictureFault({ message }: Error, maxPixels: number): ImageProblem {
  if (/exceeds pixel limit/i.test(message))
    return new ImageProblem(`The image may have at most ${maxPixels / 1_000_000} megapixels.`);
  if (/unsupported image format/i.test(message))
    return new ImageProblem('The image must be a JPEG, PNG or WebP picture.');
  // It is one of the three, but there is no reading it to its end.
  return new ImageProblem('The image is damaged.');
}

async function convert(
  { source, maxPixels, width, height, wholeBytes }: ImageTask,
  sharp: Awaited<ReturnType<typeof loadSharp>>,
) {
  const cost = await imageCost(source, mostScans);
  if (cost.scans > mostScans) throw new ImageProblem(tooManyScans);
  const image = sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 });
  try {
    // Says first whether it is a picture, and whether it has too many pixels.
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
    // Not by libvips, which doesn't say why it couldn't write.
    await writeFile(task.target, data, { mode: 0o600 });
    return { prepared: { bytes: info.size, width: info.width, height: info.height } };
  } catch (error) {
    if (error instanceof ImageProblem) return { problem: error.message };
    return { fault: { message: String(error), code: systemErrorCode(error) } };
  }
}

const sharp = await loadSharp();
/** What this process takes without a picture, in bytes. */
const restingBytes = process.memoryUsage.rss();

process.on('message', async (task: ImageTask) => {
  const mostBytes = restingBytes + task.growthBytes;
  // What libvips takes, nothing else can limit: it works beside this loop, and its memory is none of V8's.
  const watch = setInterval(() => process.memoryUsage.rss() > mostBytes && end(), lookEveryMs);
  const reply = await prepare(task, sharp);
  clearInterval(watch);
  process.send?.(reply);
});
process.send?.({ ready: true } satisfies ImageReply);
