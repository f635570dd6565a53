// @ts-check
/**
 * Process that converts one image: see images.ts. It writes the image to standard output, or a problem of the image to
 * standard error with exit code 2. The service may kill the process at any time, because it has nothing to clean up. It is
 * plain JavaScript, because loading TypeScript takes longer than converting most images.
 */
import sharp from 'sharp';

/** @typedef {import('./images.js').ImageTask} ImageTask */

/** Interval of the memory check, in milliseconds. Decoding takes some megabytes in that time. */
const memoryCheckMs = 10;

/**
 * Translates an error of libvips, which has no codes, to a problem of the image.
 * @param {string} message
 * @param {number} maxPixels
 */
function problemOf(message, maxPixels) {
  if (/exceeds pixel limit/i.test(message))
    return { code: 'IMAGE_TOO_LARGE', message: `The image may have at most ${maxPixels / 1_000_000} megapixels.` };
  const isUnsupported = /unsupported image format/i.test(message);
  // Otherwise the format is supported, but the file can't be read to its end.
  const text = isUnsupported ? 'The image must be JPEG, PNG or WebP.' : 'The image is damaged.';
  return { code: 'IMAGE_INVALID', message: text };
}

/**
 * @param {string} source
 * @param {ImageTask} task
 */
async function prepare(source, { maxPixels, width, height, growthBytes }) {
  const end = () => process.kill(process.pid, 'SIGKILL');
  // Standard input closes when the service ends for any reason.
  process.stdin.once('end', end).resume().unref();
  // A terminal sends these signals to the whole process group. They are ignored, because the service ends this process
  // itself.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  const maxBytes = process.memoryUsage.rss() + growthBytes;
  // No other limit works for libvips, which uses other threads and memory outside V8.
  setInterval(() => process.memoryUsage.rss() > maxBytes && end(), memoryCheckMs).unref();
  // The content decides the format, not the file's name. Only these three loaders are enabled.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
  // Leaves other cores to requests.
  sharp.concurrency(1);
  try {
    const image = await sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer();
    process.stdout.write(image);
  } catch (error) {
    process.stderr.write(JSON.stringify(problemOf(String(error), maxPixels)));
    process.exitCode = 2;
  }
}

const [source = '', task = ''] = process.argv.slice(2);
await prepare(source, JSON.parse(task));
