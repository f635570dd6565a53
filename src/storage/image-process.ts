import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, validationError } from '../errors.js';
import { tooMuchMemory } from './image-header.js';

/** A task for image-worker.ts: paths, and lengths in pixels. */
export interface ImageTask {
  source: string;
  target: string;
  maxPixels: number;
  width: number;
  height: number;
  /** The memory for a picture that must be decoded as a whole, in bytes. */
  wholeBytes: number;
  /** How much the memory of the process may grow, in bytes. */
  growthBytes: number;
}

/** A prepared picture; lengths in pixels. */
export interface PreparedImage {
  bytes: number;
  width: number;
  height: number;
}

/** The messages of image-worker.ts: `ready` once, then a reply to each task. */
export type ImageReply =
  | { ready: true }
  | { prepared: PreparedImage }
  /** A problem of the picture, for its sender. */
  | { problem: string }
  /** A fault of the disk or of this program. */
  | { fault: { message: string; code: string | undefined } };

/** The time limits and the priority. */
export interface ImageProcessSettings {
  /** For a task, from its start in a ready process, in milliseconds. */
  deadlineMs: number;
  /** After which an idle process is ended, in milliseconds. */
  idleMs: number;
  /** How much its niceness exceeds the service's (at most 19), so that requests come first. */
  extraNiceness: number;
}

/** A process that prepares pictures, one at a time: started on demand, replaced after it was killed. */
export interface ImageProcess {
  /**
   * @param signal kills the process: nothing else stops libvips
   * @throws AppError `VALIDATION` for the field `image`; an error of the disk, with its code; the signal's reason
   */
  run(task: ImageTask, signal?: AbortSignal): Promise<PreparedImage>;
  /** The id of the running process. */
  pid(): number | undefined;
  /** Ends the process; its task fails with `INTERRUPTED`. */
  close(): Promise<void>;
}

/** How long a process may take to start, in milliseconds: the machine may be very busy. */
const startMs = 60_000;
/** A process is replaced after so many tasks, which bounds leaks and fragmented memory. */
const tasksPerProcess = 100;

const problem = (message: string) => validationError([{ path: 'image', message }]);
const tooLong = 'The image takes too long to prepare. Send it with fewer pixels.';

/** From source, the worker needs the TypeScript loader of this process. */
const extension = path.extname(import.meta.url);
const workerFile = fileURLToPath(new URL(`./image-worker${extension}`, import.meta.url));
const execArgv = extension === '.js' ? ['--max-old-space-size=64'] : ['--import', import.meta.resolve('tsx')];

/**
 * Excludes the service's environment, which holds secrets, because the pictures are untrusted. The settings make GNU malloc
 * return memory after each picture, so that no picture is refused for the memory of earlier ones.
 */
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

function start(extraNiceness: number): ChildProcess {
  const child = fork(workerFile, [], { execArgv, env: environment, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, Math.min(19, getPriority() + extraNiceness));
  } catch {
    // It has ended already, which its exit handler notices, or the system has no priorities, which is no failure.
  }
  return child;
}

/** The error of a task whose process ended before its reply. */
function endFault(isReady: boolean, code: number | null, signal: NodeJS.Signals | null): Error {
  if (!isReady)
    return new Error(`The process that prepares images could not start (${signal ?? `exit code ${code}`}).`);
  // Killed by itself or by the system when it used too much memory.
  if (signal === 'SIGKILL') return problem(tooMuchMemory);
  // Only the decoder can crash it.
  return problem('The image is damaged.');
}

/** Creates it; the process is started with the first picture. */
export function createImageProcess({ deadlineMs, idleMs, extraNiceness }: ImageProcessSettings): ImageProcess {
  let child: ChildProcess | undefined;
  let isReady = false;
  let tasks = 0;
  let idle: NodeJS.Timeout | undefined;
  /** Stops the running task. */
  let stopTask: ((why: unknown) => void) | undefined;

  async function end(): Promise<void> {
    const ending = child;
    // New tasks get another process.
    child = undefined;
    if (ending?.exitCode !== null || ending.signalCode !== null) return;
    // Keeps this program running until the process has ended.
    setKeepAlive(ending, true);
    await new Promise<void>((resolve) => {
      ending.once('exit', () => resolve());
      ending.kill('SIGKILL');
    });
  }

  function running(): ChildProcess {
    if (child) return child;
    const started = start(extraNiceness);
    [child, isReady, tasks] = [started, false, 0];
    const forget = () => {
      if (child === started) child = undefined;
    };
    started.once('exit', forget);
    // Starting it or sending a message failed.
    started.on('error', forget);
    return started;
  }

  /** Whether the process keeps this program running; an idle one must not. */
  function setKeepAlive(worker: ChildProcess, isNeeded: boolean): void {
    const action = isNeeded ? 'ref' : 'unref';
    worker[action]();
    worker.channel?.[action]();
  }

  function afterTask(worker: ChildProcess): void {
    setKeepAlive(worker, false);
    if (tasks >= tasksPerProcess) void end();
    else idle = setTimeout(() => void end(), idleMs).unref();
  }

  /** @throws the error of {@link endFault}, or the reason that is passed to `stop` */
  function ask(worker: ChildProcess, task: ImageTask, signal: AbortSignal | undefined): Promise<PreparedImage> {
    return new Promise((resolve, reject) => {
      let reason: unknown;
      let timer: NodeJS.Timeout | undefined;
      const stop = (why: unknown) => {
        reason ??= why;
        // The task settles when the process has exited and writes no more.
        worker.kill('SIGKILL');
      };
      stopTask = stop;
      const onAbort = () => stop(signal?.reason);
      const within = (milliseconds: number, why: unknown) => {
        clearTimeout(timer);
        timer = setTimeout(() => stop(why), milliseconds);
      };
      const settle = (act: () => void) => {
        clearTimeout(timer);
        stopTask = undefined;
        signal?.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('exit', onExit).off('error', onError);
        act();
      };
      const onError = (error: Error) => settle(() => reject(reason ?? error));
      const onExit = (code: number | null, by: NodeJS.Signals | null) =>
        settle(() => reject(reason ?? endFault(isReady, code, by)));
      const begin = () => {
        tasks += 1;
        within(deadlineMs, problem(tooLong));
        worker.send(task);
      };
      const onMessage = (reply: ImageReply) => {
        if ('ready' in reply) {
          isReady = true;
          return begin();
        }
        // It was stopped at the same moment.
        if (reason !== undefined) return;
        if ('prepared' in reply) return settle(() => resolve(reply.prepared));
        const { message, code } = 'fault' in reply ? reply.fault : { message: reply.problem, code: undefined };
        settle(() => reject('fault' in reply ? Object.assign(new Error(message), { code }) : problem(message)));
      };
      worker.on('message', onMessage).on('exit', onExit).on('error', onError);
      signal?.addEventListener('abort', onAbort, { once: true });
      if (isReady) begin();
      else within(startMs, new Error(`The process that prepares images was not ready within ${startMs / 1000} s.`));
    });
  }

  return {
    async run(task, signal) {
      signal?.throwIfAborted();
      clearTimeout(idle);
      const worker = running();
      setKeepAlive(worker, true);
      try {
        return await ask(worker, task, signal);
      } finally {
        afterTask(worker);
      }
    },
    pid: () => child?.pid,
    async close() {
      clearTimeout(idle);
      stopTask?.(new AppError('INTERRUPTED'));
      await end();
    },
  };
}
