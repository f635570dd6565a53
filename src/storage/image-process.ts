import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, validationError } from '../errors.js';
import { tooMuchMemory } from './image-header.js';

/** What image-worker.ts is sent: paths, and lengths in pixels. */
export interface ImageTask {
  source: string;
  target: string;
  maxPixels: number;
  width: number;
  height: number;
  /** What a picture may take that has to be unpacked as a whole, in bytes. */
  wholeBytes: number;
  /** What the memory of the process may grow by, in bytes. */
  growthBytes: number;
}

/** What a picture has become; lengths in pixels. */
export interface PreparedImage {
  bytes: number;
  width: number;
  height: number;
}

/** What image-worker.ts answers: once that it is ready, then to each task. */
export type ImageReply =
  | { ready: true }
  | { prepared: PreparedImage }
  /** For the one who sent the picture. */
  | { problem: string }
  /** Of the disk or of this program. */
  | { fault: { message: string; code: string | undefined } };

/** How long a task may take. */
export interface ImageTimes {
  /** From its begin in a process that is ready, in milliseconds. */
  deadlineMs: number;
  /** How long a process may have nothing to do before it is ended, in milliseconds. */
  idleMs: number;
}

/** A process that prepares pictures, one at a time: started when there is one, and replaced when it was killed. */
export interface ImageProcess {
  /**
   * @param signal kills the process at its work: nothing else stops libvips
   * @throws AppError `VALIDATION` for the field `image`; what the disk says, with its code; the signal's reason
   */
  run(task: ImageTask, signal?: AbortSignal): Promise<PreparedImage>;
  /** The id of the process, if there is one. */
  pid(): number | undefined;
  /** Ends the process, and what it is at with `INTERRUPTED`. */
  close(): Promise<void>;
}

/** How long a process may take to start on a machine that is very busy, in milliseconds. */
const startMs = 60_000;
/** Steps of priority below the service, of 19 that there are: others are to be answered meanwhile. */
const stepsBelow = 10;
/** What a process leaks, and memory that it has in pieces, ends with it. */
const tasksOfAProcess = 100;

const problem = (message: string) => validationError([{ path: 'image', message }]);
const tooLong = 'The image takes too long to prepare. Send it with fewer pixels.';

/** From source, in .ts, it needs the loader that this process has. */
const extension = path.extname(import.meta.url);
const workerFile = fileURLToPath(new URL(`./image-worker${extension}`, import.meta.url));
const execArgv = extension === '.js' ? ['--max-old-space-size=64'] : ['--import', import.meta.resolve('tsx')];

/**
 * Nothing of the service's environment, which holds its secrets: what is decoded comes from strangers. GNU's malloc gives
 * back what a picture took as soon as it is done, so that no picture is refused for what others have left.
 */
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

function start(): ChildProcess {
  const child = fork(workerFile, [], { execArgv, env: environment, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, Math.min(19, getPriority() + stepsBelow));
  } catch {
    // It has ended already, or the system knows no priorities: the first is noticed, the second is no failure.
  }
  return child;
}

/** What a process that ended before its answer says of its picture. */
function endFault(isReady: boolean, code: number | null, signal: NodeJS.Signals | null): Error {
  if (!isReady)
    return new Error(`The process that prepares images could not start (${signal ?? `exit code ${code}`}).`);
  // By itself or by the system, when memory ran out.
  if (signal === 'SIGKILL') return problem(tooMuchMemory);
  // Of all that it does only the decoder can break it.
  return problem('The image is damaged.');
}

/** Makes it; nothing is started before the first picture. */
export function createImageProcess({ deadlineMs, idleMs }: ImageTimes): ImageProcess {
  let child: ChildProcess | undefined;
  let isReady = false;
  let tasks = 0;
  let idle: NodeJS.Timeout | undefined;
  /** Stops the task that is being worked on. */
  let stopTask: ((why: unknown) => void) | undefined;

  async function end(): Promise<void> {
    const ending = child;
    // Whoever comes meanwhile gets another.
    child = undefined;
    if (ending?.exitCode !== null || ending.signalCode !== null) return;
    // It is waited for, though nothing else may keep this program from ending.
    hold(ending, true);
    await new Promise<void>((resolve) => {
      ending.once('exit', () => resolve());
      ending.kill('SIGKILL');
    });
  }

  function running(): ChildProcess {
    if (child) return child;
    const started = start();
    [child, isReady, tasks] = [started, false, 0];
    const forget = () => {
      if (child === started) child = undefined;
    };
    started.once('exit', forget);
    // It could not be started, or not be spoken to.
    started.on('error', forget);
    return started;
  }

  /** Whoever waits for nothing else ends with an idle process still there. */
  function hold(worker: ChildProcess, isNeeded: boolean): void {
    const action = isNeeded ? 'ref' : 'unref';
    worker[action]();
    worker.channel?.[action]();
  }

  function afterwards(worker: ChildProcess): void {
    hold(worker, false);
    if (tasks >= tasksOfAProcess) void end();
    else idle = setTimeout(() => void end(), idleMs).unref();
  }

  /** @throws what {@link endFault} says, and what is given to `stop` */
  function ask(worker: ChildProcess, task: ImageTask, signal: AbortSignal | undefined): Promise<PreparedImage> {
    return new Promise((resolve, reject) => {
      let reason: unknown;
      let timer: NodeJS.Timeout | undefined;
      const stop = (why: unknown) => {
        reason ??= why;
        // Its answer is its end: what it was writing is written no more.
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
        // It was told to end in the same moment.
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
      hold(worker, true);
      try {
        return await ask(worker, task, signal);
      } finally {
        afterwards(worker);
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
