import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { systemErrorCode } from '../../../../errors.js';
import { cancellationError } from '../../../../fair-queue.js';
import { threadFile } from '../../../../package-root.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import { unpackFailure } from './failures.js';
import type { Message, Task, Tasks } from './worker.js';

/** Maximum processor time of a task, in milliseconds. A pass over the largest files takes a third of it. */
const maxProcessorMs = 60_000;
/** Interval between checks of the processor time, in milliseconds. */
const watchMs = 250;
/** Maximum threads. Each import that runs or is being planned has one thread, and each upload that is inspected. */
const maxThreads = 40;
/** Time until an idle thread ends, in milliseconds. */
const idleMs = 10_000;
/** Heap of a thread, in MiB. Rows are streamed, and shared texts aren't on the heap. */
const heapMb = 256;
/** Heap for new objects, in MiB. Rows are short-lived; V8's default takes a quarter more memory. */
const youngMb = 6;

let pool: Promise<Piscina> | undefined;

/** Creates the thread pool of the process. Idle threads don't keep the process alive. */
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

/** Returns the refusal of a file that takes more work than any real table. */
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

/** Limits of a task, in addition to those of its input. */
export interface TaskOptions {
  /** Ends the task immediately, even in the middle of parsing. */
  signal: AbortSignal | undefined;
  isWorkbook?: boolean;
  /** Maximum processor time in milliseconds. Tests replace it. */
  processorMs?: number;
}

type Results = { [Name in keyof Tasks]: Tasks[Name]['result'] };

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

  /** Refuses the file if its thread uses too much processor time. Waiting for the receiver of rows doesn't count. */
  #watchProcessor(threads: Piscina, threadId: number): void {
    const worker = threads.threads.find((thread: Worker) => thread.threadId === threadId);
    const before = worker?.performance.eventLoopUtilization().active ?? 0;
    this.#watch = setInterval(() => {
      const worked = (worker?.performance.eventLoopUtilization().active ?? 0) - before;
      if (worked > (this.#options.processorMs ?? maxProcessorMs)) this.end(this.#refusal());
    }, watchMs);
  }

  /** Releases all resources except the messages that have arrived. */
  #release(): void {
    clearInterval(this.#watch);
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#port.close();
  }

  /** Ends the task and its thread, unless the task has ended. @param error thrown by {@link next} */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = { error };
    this.#release();
    this.#stop.abort();
    this.#wake?.();
  }

  /** Returns the next message of the task. @throws the failure of the task, or the reason of the signal */
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

  requestRows(): void {
    this.#port.postMessage(null);
  }

  async result(): Promise<Results[Name]> {
    for (;;) {
      const message = await this.next();
      if (message.kind === 'done') return message.result;
    }
  }
}

export async function startTask<Name extends keyof Tasks>(
  name: Name,
  input: Tasks[Name]['input'],
  options: TaskOptions,
): Promise<ThreadTask<Name>> {
  pool ??= openPool();
  return new ThreadTask(await pool, name, input, options);
}
