import { type ChildProcess, type ExecFileException, execFile } from 'node:child_process';
import { access, constants, rm, stat, writeFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AppError, validationError } from '../errors.js';
import { createFairQueue, type QueueLimits } from '../fair-queue.js';
import type { ProblemCode } from '../field-problem.js';
import { programFile } from '../package-root.js';
import { diskFault } from './disk.js';

/** The limits of an image before and after it is prepared; lengths in pixels. */
export interface ImageLimits {
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
  /** Larger images are scaled down to fit. */
  width: number;
  height: number;
}

/** The task of image-worker.mjs. */
export interface ImageTask extends ImageLimits {
  /** How much the memory of the process may grow, in bytes. */
  growthBytes: number;
}

/** The account of an image, for fair queueing, and a signal that cancels it, waiting or running. */
export interface ImageOwner {
  account: string;
  signal?: AbortSignal | undefined;
}

/** Prepares images one at a time, each in a process of its own. */
export interface ImagePreparer {
  /**
   * Converts an untrusted image to one that is safe to show: upright, scaled down, WebP, and without metadata such as the
   * location.
   * @param target the output file, readable for this user alone; removed after a failure
   * @throws AppError `VALIDATION` for the field `image`, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  prepare(source: string, target: string, limits: ImageLimits, owner: ImageOwner): Promise<void>;
  /** Refuses waiting images and kills the process of the running one, which fails with `INTERRUPTED`. */
  close(): void;
}

/**
 * An image of 25 megapixels takes about a second of an idle core. Libvips needs up to 32 MiB in addition to the image. Requests
 * come before images: the niceness of the process exceeds the service's.
 */
const defaults = {
  // One at a time.
  capacity: 1,
  entries: 200,
  waitingWeight: 100_000_000,
  entriesPerOwner: 8,
  waitMs: 20_000,
  deadlineMs: 10_000,
  extraNiceness: 10,
  extraBytes: 48 * 1024 * 1024,
} satisfies QueueLimits & Record<string, number>;

/** For a progressive JPEG at full colour; a PNG or WebP with 8 bits a channel needs 4. */
const bytesPerPixel = 6;
/** More than a WebP image of the largest size has. */
const maxOutputBytes = 16 * 1024 * 1024;

const workerFile = programFile('storage/image-worker.mjs');

function lowerPriority(pid: number, extraNiceness: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + extraNiceness));
  } catch {
    // It has ended already, or the system has no priorities: neither is a failure.
  }
}

/** Why a process failed: a problem of the image, or a fault of this program. */
function failureOf(error: ExecFileException): Error {
  const { code, signal, killed, message, stderr } = error;
  const problem = (problemCode: ProblemCode, text: string) =>
    validationError([{ path: 'image', code: problemCode, message: text }]);
  if (code === 2) {
    // As image-worker.mjs writes it.
    const reported = JSON.parse(String(stderr)) as { code: ProblemCode; message: string };
    return problem(reported.code, reported.message);
  }
  if (signal === 'SIGKILL' && killed)
    return problem('IMAGE_TOO_LARGE', 'The image takes too long to prepare. Send it with fewer pixels.');
  // By itself, or by the system.
  if (signal === 'SIGKILL')
    return problem(
      'IMAGE_TOO_LARGE',
      'The image takes too much memory to prepare. Send it smaller, or saved without interlacing and with 8 bits a channel.',
    );
  // Only the decoder can crash it.
  if (signal) return problem('IMAGE_INVALID', 'The image is damaged.');
  return new Error(`The process that prepares images failed: ${message}`, { cause: error });
}

/** Creates the preparer. */
export function createImagePreparer(changes: Partial<typeof defaults> = {}): ImagePreparer {
  const { deadlineMs, extraNiceness, extraBytes, ...bounds } = { ...defaults, ...changes };
  const queue = createFairQueue(bounds);
  let running: ChildProcess | undefined;
  let isClosed = false;

  async function run(source: string, limits: ImageLimits, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted();
    const task: ImageTask = { ...limits, growthBytes: bytesPerPixel * limits.maxPixels + extraBytes };
    const argv = ['--max-old-space-size=64', workerFile, source, JSON.stringify(task)];
    const work = promisify(execFile)(process.execPath, argv, {
      // Images are untrusted, and the service's environment holds secrets.
      env: {},
      encoding: 'buffer',
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
      maxBuffer: maxOutputBytes,
    });
    running = work.child;
    if (running.pid !== undefined) lowerPriority(running.pid, extraNiceness);
    // Given to execFile(), the signal would end it with SIGTERM, and leave before it has ended.
    const cancel = () => work.child.kill('SIGKILL');
    signal?.addEventListener('abort', cancel);
    try {
      return (await work).stdout;
    } catch (error) {
      if (isClosed) throw new AppError('INTERRUPTED', undefined, { cause: error });
      throw failureOf(error as ExecFileException);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  return {
    async prepare(source, target, limits, { account, signal }) {
      try {
        await access(source, constants.R_OK);
        const { size } = await stat(source);
        const image = await queue.run({ owner: account, weight: size, signal }, () => run(source, limits, signal));
        await writeFile(target, image, { mode: 0o600, signal });
      } catch (error) {
        // The first error matters more; the cleanup of uploads removes what stays.
        await rm(target, { force: true }).catch(() => undefined);
        if (signal?.aborted) throw new AppError('INTERRUPTED', undefined, { cause: error });
        throw diskFault(path.dirname(target), error);
      }
    },
    close() {
      isClosed = true;
      queue.close();
      running?.kill('SIGKILL');
    },
  };
}
