import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { systemErrorCode } from '../../../../errors.js';
import { cancellationError } from '../../../../fair-queue.js';
import { threadFile } from '../../../../package-root.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import { unpackFailure } from './failures.js';
import type { Message, Task, Tasks } from './worker.js';

/** Processor time of a task at most, in milliseconds: a pass over the largest files takes a third of it. */
const maxProcessorMs = 60_000;
/** How often it is looked at, in milliseconds. */
const watchMs = 250;
/** Threads at most: each import that runs or is planned has one, and each upload that is looked at. */
const maxThreads = 40;
/** How long a thread is kept for the next task, in milliseconds. */
const idleMs = 10_000;
/** Heap of a thread, in MiB: rows come by and by, and shared texts aren't on it. */
const heapMb = 256;
/** Part of it for new objects, in MiB: rows are gone soon, and what V8 takes by itself costs an import a quarter of its memory. */
const youngMb = 6;

let pool: Promise<Piscina> | undefined;

/** The threads of the process. Idle ones don't keep it from ending. */
async function openPool(): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    ...threadFile('services/imports/read/thread/worker'),
    name: 'inspect',
    minThreads: 0,
    maxThreads: maxThreads,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  });
}

/** Refusal of a file that takes more work than any table. */
function tooLarge(isWorkbook: boolean): FileProblem {
  return isWorkbook
    ? new FileProblem(
        'WORKBOOK_TOO_LARGE',
        'The workbook is too large: reading it takes too long. Save the sheet as "CSV UTF-8" and import that.',
      )
    : new FileProblem(
        'FILE_TOO_LARGE',
        'Reading the file takes too long. Split it, and import one part after the other.',
      );
}

/** Bounds of a task besides those of its input. */
export interface TaskOptions {
  /** Ends the task at once, whatever its thread does. */
  signal: AbortSignal | undefined;
  isWorkbook?: boolean;
  /** Replaced by tests. */
  processorMs?: number;
}

type Results = { [Name in keyof Tasks]: Tasks[Name]['result'] };

/** A task in a thread of its own. */
export class ThreadTask<Name extends keyof Tasks> {
  readonly #port: MessagePort;
  readonly #stop = new AbortController();
  readonly #options: TaskOptions;
  #messages: Message<Results[Name]>[] = [];
  #ended: { error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(threads: Piscina, name: Name, input: Tasks[Name]['input'], options: TaskOptions) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#options = options;
    port1.on('message', (message: Message<Results[Name]>) => {
      if (message.kind === 'started') this.#watchProcessor(threads, message.threadId);
      else this.#messages.push(message);
      if (message.kind === 'done' || message.kind === 'failed') this.#release();
      this.#wake?.();
    });
    const task: Task<Name> = { input, port: port2 };
    threads
      .run(task, { name, signal: this.#stop.signal, transferList: [port2] })
      .catch((error: unknown) =>
        this.end(systemErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? this.#refusal() : error),
      );
    const { signal } = options;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener('abort', this.#abort);
  }

  readonly #abort = () => this.end(this.#options.signal && cancellationError(this.#options.signal));

  readonly #refusal = () => tooLarge(this.#options.isWorkbook === true);

  /** Refuses the file when its thread has worked too long. A thread that waits for its rows to be taken doesn't work. */
  #watchProcessor(threads: Piscina, threadId: number): void {
    const worker = threads.threads.find((thread: Worker) => thread.threadId === threadId);
    const before = worker?.performance.eventLoopUtilization().active ?? 0;
    this.#watch = setInterval(() => {
      const worked = (worker?.performance.eventLoopUtilization().active ?? 0) - before;
      if (worked > (this.#options.processorMs ?? maxProcessorMs)) this.end(this.#refusal());
    }, watchMs);
  }

  /** Lets go of everything but the messages that have come. */
  #release(): void {
    clearInterval(this.#watch);
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#port.close();
  }

  /** Ends the task, if it hasn't ended, and its thread. @param error for the reader */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = { error };
    this.#release();
    this.#stop.abort();
    this.#wake?.();
  }

  /** Next message of the task. @throws the failure of the task, the reason of the signal */
  async next(): Promise<Exclude<Message<Results[Name]>, { kind: 'started' | 'failed' }>> {
    for (;;) {
      if (this.#ended) throw this.#ended.error;
      const message = this.#messages.shift();
      if (message?.kind === 'failed') throw unpackFailure(message.failure);
      if (message && message.kind !== 'started') return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Lets the thread send another list of rows. */
  requestRows(): void {
    this.#port.postMessage(null);
  }

  /** Result of a task that sends nothing else. */
  async result(): Promise<Results[Name]> {
    for (;;) {
      const message = await this.next();
      if (message.kind === 'done') return message.result;
    }
  }
}

/** Starts a task. */
export async function startTask<Name extends keyof Tasks>(
  name: Name,
  input: Tasks[Name]['input'],
  options: TaskOptions,
): Promise<ThreadTask<Name>> {
  pool ??= openPool();
  return new ThreadTask(await pool, name, input, options);
}
