import { access, constants, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../errors.js';
import { createFairQueue, type QueueBounds } from '../fair-queue.js';
import { diskFault } from './disk-fault.js';
import { createImageProcess, type ImageProcessSettings, type PreparedImage } from './image-process.js';

/** The limits of a picture before and after it is prepared; lengths in pixels. */
export interface ImageLimits {
  /** Pictures with more pixels are refused before they are decoded. */
  maxPixels: number;
  /** Larger pictures are scaled down to fit. */
  width: number;
  height: number;
}

/** The account of a picture, for fair queueing, and a signal that cancels it, waiting or running. */
export interface ImageOwner {
  account: string;
  signal?: AbortSignal | undefined;
}

/** Prepares pictures in another process, one at a time. */
export interface ImagePreparer {
  /**
   * Converts an untrusted picture to one that is safe to show: upright, scaled down, WebP, and without metadata such as the
   * location.
   * @param target the output file, readable for this user alone; removed after a failure
   * @throws AppError `VALIDATION` for the field `image`, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  prepare(source: string, target: string, limits: ImageLimits, owner: ImageOwner): Promise<PreparedImage>;
  /** The id of the running process. */
  pid(): number | undefined;
  /** Refuses waiting pictures and ends the process. */
  close(): Promise<void>;
}

/**
 * The queue takes the pictures of a whole class. A picture of 25 megapixels takes about a second of an idle core. Libvips
 * needs up to 32 MiB in addition to the picture, and some memory stays allocated after earlier ones.
 */
const defaults = {
  entries: 200,
  bytes: 100_000_000,
  entriesEach: 8,
  waitMs: 20_000,
  deadlineMs: 15_000,
  idleMs: 10_000,
  extraNiceness: 10,
  extraBytes: 48 * 1024 * 1024,
} satisfies QueueBounds & ImageProcessSettings & { extraBytes: number };

/** For a progressive JPEG at full colour; a PNG or WebP with 8 bits a channel needs 4. */
const bytesPerPixel = 6;

/** Creates the preparer; its process is started with the first picture. */
export function createImagePreparer(changes: Partial<typeof defaults> = {}): ImagePreparer {
  const settings = { ...defaults, ...changes };
  const queue = createFairQueue(settings);
  const worker = createImageProcess(settings);

  return {
    async prepare(source, target, limits, { account, signal }) {
      try {
        await access(source, constants.R_OK);
        const { size } = await stat(source);
        const wholeBytes = bytesPerPixel * limits.maxPixels;
        const task = { source, target, ...limits, wholeBytes, growthBytes: wholeBytes + settings.extraBytes };
        return await queue.add({ account, bytes: size, signal }, () => worker.run(task, signal));
      } catch (error) {
        // The first error matters more; the cleanup of uploads removes what stays.
        await rm(target, { force: true }).catch(() => undefined);
        if (signal?.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
        throw diskFault(path.dirname(target), error);
      }
    },
    pid: () => worker.pid(),
    async close() {
      queue.close();
      await worker.close();
    },
  };
}
