import { access, constants, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../errors.js';
import { diskFault } from './disk-fault.js';
import { createFairQueue, type QueueBounds } from './fair-queue.js';
import { createImageProcess, type ImageTimes, type PreparedImage } from './image-process.js';

/** What pictures may be, and are made to be; lengths in pixels. */
export interface ImageLimits {
  /** Pictures with more pixels are refused before anything of them is unpacked. */
  maxPixels: number;
  /** The picture is made to fit into this; a smaller one stays as it is. */
  width: number;
  height: number;
}

/** Whose picture it is: accounts take turns. The signal takes it back, also when it is being prepared already. */
export interface ImageOwner {
  account: string;
  signal?: AbortSignal | undefined;
}

/** Prepares pictures beside the service, one at a time. */
export interface ImagePreparer {
  /**
   * Makes a picture that is safe to show to others out of one that somebody sent: turned upright, made smaller where it is
   * too large, WebP, and without anything that isn't the picture, such as the place where it was taken.
   * @param target where it is written, for this user alone; nothing is left there after a failure
   * @throws AppError `VALIDATION` for the field `image`, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  prepare(source: string, target: string, limits: ImageLimits, owner: ImageOwner): Promise<PreparedImage>;
  /** The id of the process that does it, if there is one. */
  pid(): number | undefined;
  /** Refuses what waits, and ends the process. */
  close(): Promise<void>;
}

/**
 * A burst of a whole class finds room; their files take no more of the disk than this. Whoever waits for 20 s is told to
 * come again. A picture of 25 megapixels takes about a second of a core that nobody else needs. Libvips needs up to 32 MiB
 * beside the picture, and some is left of those before.
 */
const defaults = {
  ...{ entries: 200, bytes: 100_000_000, entriesEach: 8, waitMs: 20_000 },
  ...{ deadlineMs: 15_000, idleMs: 10_000, besideBytes: 48 * 1024 * 1024 },
} satisfies QueueBounds & ImageTimes & object;

/** Those of a progressive JPEG at full colour; a PNG or WebP with 8 bits a channel has 4. */
const bytesOfPixel = 6;

/** Makes the preparer; it costs nothing before its first picture. */
export function createImagePreparer(changes: Partial<typeof defaults> = {}): ImagePreparer {
  const settings = { ...defaults, ...changes };
  const queue = createFairQueue(settings);
  const worker = createImageProcess(settings);

  return {
    async prepare(source, target, limits, { account, signal }) {
      try {
        await access(source, constants.R_OK);
        const { size } = await stat(source);
        const wholeBytes = bytesOfPixel * limits.maxPixels;
        const task = { source, target, ...limits, wholeBytes, growthBytes: wholeBytes + settings.besideBytes };
        return await queue.add({ account, bytes: size, signal }, () => worker.run(task, signal));
      } catch (error) {
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
