import cluster, { type Worker } from 'node:cluster';
import { AppError } from '../../../errors.js';
import type { Figures } from '../../../http/server/worker-metrics.js';
import { deferred } from './deferred.js';
import type { FromWorker, Listening, ToWorker, WorkerStart } from './messages.js';
import { createTimedEvent } from './timed-event.js';
import { returnUnaccepted } from './unaccepted-connections.js';

/** What a process has ended with. */
export interface WorkerEnd {
  code: number | null;
  signal: string | null;
}

/** A worker, as the process that started it sees it. */
export interface WorkerProcess {
  /** Of this process: those that replace it have others. */
  id: number;
  isListening(): boolean;
  isReady(): boolean;
  /** For how long it was ready, in milliseconds; 0 if it never was. */
  readyForMs(): number;
  /** @throws what it said of its failure, or that it has ended */
  listening: Promise<Listening>;
  /** @throws as `listening` */
  ready: Promise<Listening>;
  ended: Promise<WorkerEnd>;
  /** Why it couldn't serve, once it has said so. */
  failure(): AppError | undefined;
  send(message: ToWorker): void;
  /** Settles when it has sent its figures, has ended, or doesn't answer in time. */
  report(): Promise<void>;
  /** Waits for its end, and kills it when that takes too long. */
  endsWithin(milliseconds: number): Promise<void>;
  kill(): void;
}

/** What the one who starts it is told. */
export interface WorkerEvents {
  onFigures(figures: Figures): void;
  /** A client of it asks for the figures of all workers. */
  figuresOfAll(): Promise<string>;
  /** Whether other workers listen. */
  othersListen(): boolean;
}

/** How long the figures of a worker are waited for, in milliseconds. */
const reportMs = 2000;

/** The end of a process whose last messages were read. */
function endOf(worker: Worker): Promise<WorkerEnd> {
  const { process: child } = worker;
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    // It can't be started, or a message can't be sent to one that ends.
    worker.on('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** Starts a worker: another process of this program. */
export function startWorkerProcess(
  start: WorkerStart,
  env: Record<string, string>,
  { onFigures, figuresOfAll, othersListen }: WorkerEvents,
): WorkerProcess {
  const worker = cluster.fork(env);
  returnUnaccepted(worker, othersListen);
  const [listening, ready] = [deferred<Listening>(), deferred<Listening>()];
  const reports = createTimedEvent();
  let state: 'starting' | 'listening' | 'ready' | 'ended' = 'starting';
  let failure: AppError | undefined;
  let readyAt: number | undefined;
  let endedAt: number | undefined;
  /** Messages for a worker that doesn't listen to them yet. */
  let early: ToWorker[] | undefined = [{ type: 'start', ...start }];
  const send = (message: ToWorker) => {
    if (early) early.push(message);
    // One that ends meanwhile needs no message.
    else if (worker.isConnected()) worker.send(message, undefined, undefined, () => undefined);
  };
  worker.on('message', (message: FromWorker) => {
    switch (message.type) {
      case 'hello': {
        const first = early ?? [];
        early = undefined;
        for (const one of first) send(one);
        break;
      }
      case 'listening':
        state = 'listening';
        listening.resolve({ url: message.url, hasConsole: message.hasConsole });
        break;
      case 'ready':
        state = 'ready';
        readyAt = performance.now();
        ready.resolve({ url: message.url, hasConsole: message.hasConsole });
        break;
      case 'failed':
        failure = new AppError(message.code, message.message);
        break;
      case 'figures':
        onFigures(message.figures);
        reports.release();
        break;
      case 'scrape':
        void figuresOfAll().then((text) => send({ type: 'figures of all', id: message.id, text }));
        break;
    }
  });
  const ended = endOf(worker).then((end) => {
    state = 'ended';
    endedAt = performance.now();
    const why = failure ?? new AppError('WORKER_FAILED', `Worker ${start.number} has ended.`);
    for (const { reject } of [listening, ready]) reject(why);
    reports.release();
    return end;
  });
  const kill = () => worker.kill('SIGKILL');
  return {
    id: worker.id,
    isListening: () => state === 'listening' || state === 'ready',
    isReady: () => state === 'ready',
    readyForMs: () => (readyAt === undefined ? 0 : (endedAt ?? performance.now()) - readyAt),
    listening: listening.promise,
    ready: ready.promise,
    ended,
    failure: () => failure,
    send,
    async report() {
      if (state !== 'listening' && state !== 'ready') return;
      send({ type: 'report' });
      await reports.wait(reportMs);
    },
    async endsWithin(milliseconds) {
      const timer = setTimeout(kill, milliseconds);
      await ended;
      clearTimeout(timer);
    },
    kill,
  };
}
