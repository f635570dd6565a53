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

/** Limits of an image before and after its conversion, in pixels. */
export interface ImageLimits {
  /** Images with more pixels are refused before decoding. */
  maxPixels: number;
  /** Larger images are scaled down to fit. */
  width: number;
  height: number;
}

export interface ImageTask extends ImageLimits {
  /** Maximum growth of the process's memory, in bytes. */
  growthBytes: number;
}

/** Account of an image, for fair queueing, and a signal that cancels a waiting or running image. */
export interface ImageOwner {
  account: string;
  signal?: AbortSignal | undefined;
}

/** Converts images one at a time, each in a separate process. */
export interface ImagePreparer {
  /**
   * Converts an untrusted image to a safe one: WebP, upright, scaled down, and without metadata such as the location.
   * @param target output file, readable only for this user; removed after a failure
   * @throws AppError `VALIDATION` for the field `image`, `OVERLOADED`, `INTERRUPTED`, `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  prepare(source: string, target: string, limits: ImageLimits, owner: ImageOwner): Promise<void>;
  /** Refuses waiting images and kills the process of the running image, which fails with `INTERRUPTED`. */
  close(): void;
}

/**
 * An image of 25 megapixels takes about a second of an idle core. Libvips needs up to 32 MiB besides the image. The process
 * has a higher niceness than the service, so that requests come first.
 */
const defaults = {
  // One image at a time.
  capacity: 1,
  entries: 200,
  waitingWeight: 100_000_000,
  entriesPerOwner: 8,
  waitMs: 20_000,
  deadlineMs: 10_000,
  extraNiceness: 10,
  extraBytes: 48 * 1024 * 1024,
} satisfies QueueLimits & Record<string, number>;

/**
 * Bytes of memory for each pixel of a progressive JPEG in full colour; a PNG or WebP with 8 bits a channel needs 4
 * bytes.
 */
const bytesPerPixel = 6;
/** Maximum size of the output; larger than any WebP image of the largest size. */
const maxOutputBytes = 16 * 1024 * 1024;

const workerFile = programFile('storage/image-worker.mjs');

function lowerPriority(pid: number, extraNiceness: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + extraNiceness));
  } catch {
    // The process has ended already, or the system has no priorities. Neither is a failure.
  }
}

/** Returns the reason of a failed process: a problem of the image, or a fault of this program. */
function failureOf(error: ExecFileException): Error {
  const { code, signal, killed, message, stderr } = error;
  const problem = (problemCode: ProblemCode, text: string) =>
    validationError([{ path: 'image', code: problemCode, message: text }]);
  if (code === 2) {
    // image-worker.mjs writes this format.
    const reported = JSON.parse(String(stderr)) as { code: ProblemCode; message: string };
    return problem(reported.code, reported.message);
  }
  if (signal === 'SIGKILL' && killed)
    return problem('IMAGE_TOO_LARGE', 'The image takes too long to prepare. Send it with fewer pixels.');
  // The process killed itself at its memory limit, or the system did.
  if (signal === 'SIGKILL')
    return problem(
      'IMAGE_TOO_LARGE',
      'The image takes too much memory to prepare. Send it smaller, or saved without interlacing and with 8 bits a channel.',
    );
  // Only the decoder can crash the process.
  if (signal) return problem('IMAGE_INVALID', 'The image is damaged.');
  return new Error(`The process that prepares images failed: ${message}`, { cause: error });
}

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
      // The environment is empty, because images are untrusted and the service's environment contains secrets.
      env: {},
      encoding: 'buffer',
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
      maxBuffer: maxOutputBytes,
    });
    running = work.child;
    if (running.pid !== undefined) lowerPriority(running.pid, extraNiceness);
    // Kills the process here. With the signal as an option, execFile() would send SIGTERM and not wait for the end.
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
        // The first error matters more. The cleanup of uploads removes a remaining file.
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
