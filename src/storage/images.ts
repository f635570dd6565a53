import { access, constants, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { validationError } from '../errors.js';
import { diskFault } from './disk-fault.js';

/** What pictures may be, and are made to be; lengths in pixels. */
export interface ImageLimits {
  /** Pictures with more pixels are refused before anything of them is unpacked. */
  maxPixels: number;
  /** The picture is made to fit into this; a smaller one stays as it is. */
  width: number;
  height: number;
}

/** What a picture has become; lengths in pixels. */
export interface PreparedImage {
  bytes: number;
  width: number;
  height: number;
}

/** Pictures at once: each may take some hundred megabytes while it is unpacked. */
const limit = pLimit(2);
const maxSeconds = 20;

const problem = (message: string) => validationError([{ path: 'image', message }]);

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

let loaded: ReturnType<typeof loadSharp> | undefined;

/** Loaded when the first picture comes, and set up once: a picture that is being read meanwhile mustn't see it half done. */
function sharpOnce(): ReturnType<typeof loadSharp> {
  loaded ??= loadSharp();
  return loaded;
}

/** What libvips says about a file, in words for the one who sent it. */
function pictureFault(error: Error, maxPixels: number): unknown {
  const { message } = error;
  if (/exceeds pixel limit/i.test(message))
    return problem(`The image may have at most ${maxPixels / 1_000_000} megapixels.`);
  if (/unsupported image format/i.test(message)) return problem('The image must be a JPEG, PNG or WebP picture.');
  if (/^timeout/i.test(message)) return problem('The image takes too long to prepare.');
  // It is one of the three, but there is no reading it to its end.
  return problem('The image is damaged.');
}

async function convert(source: string, { maxPixels, width, height }: ImageLimits) {
  const sharp = await sharpOnce();
  try {
    return await sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .timeout({ seconds: maxSeconds })
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 82 })
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    throw error instanceof Error ? pictureFault(error, maxPixels) : error;
  }
}

/**
 * Makes a picture that is safe to show to others out of one that somebody sent: turned upright, made smaller where it is
 * too large, WebP, and without anything that isn't the picture, such as the place where it was taken.
 * @param target where it is written, for this user alone; nothing is left there after a failure
 * @throws AppError `VALIDATION` for the field `image`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
 */
export function prepareImage(source: string, target: string, limits: ImageLimits): Promise<PreparedImage> {
  return limit(async () => {
    try {
      await access(source, constants.R_OK);
      const { data, info } = await convert(source, limits);
      // Not by libvips, which doesn't say why it couldn't write.
      await writeFile(target, data, { mode: 0o600 });
      return { bytes: info.size, width: info.width, height: info.height };
    } catch (error) {
      await rm(target, { force: true }).catch(() => undefined);
      throw diskFault(path.dirname(target), error);
    }
  });
}
