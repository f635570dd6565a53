import cluster from 'node:cluster';
import type { Context } from '../../../context.js';
import { AppError, isAppError } from '../../../errors.js';
import { type RunningServer, startServer } from '../../../http/server/server.js';
import { exitCodeOf } from '../../core/exit-codes.js';
import type { Result, Run } from '../../core/run.js';
import { aborted } from './aborted.js';
import { logConsoleWarnings } from './console-warnings.js';
import { deferred } from './deferred.js';
import type { FromWorker, ToWorker, WorkerStart } from './messages.js';

/** Waits until the database can be used. @returns nothing when the signal was aborted before. @throws AppError for lasting failures */
export type UntilReady = (context: Context, signal: AbortSignal) => Promise<unknown>;

/** The process that started this one. */
interface Primary {
  /** What this worker is to do; nothing when it is to end before. */
  start: Promise<WorkerStart | undefined>;
  /** Settles when the primary has found the database current, or this worker is to end. */
  begun: Promise<void>;
  /** Aborted when this worker is to end. */
  end: AbortSignal;
  /** Whether others serve in its place, or nobody does: no client can be told to wait. */
  isReplaced(): boolean;
  onReport(report: () => void): void;
  figuresOfAll(): Promise<string>;
  /** Settles when the message is on its way, or can't be sent. */
  tell(message: FromWorker): Promise<void>;
}

function connectPrimary(interrupted: AbortSignal): Primary {
  const ending = new AbortController();
  const end = AbortSignal.any([interrupted, ending.signal]);
  const waiting = new Map<number, { resolve(text: string): void; reject(error: unknown): void }>();
  let isReplaced = false;
  let scrapes = 0;
  let report: (() => void) | undefined;
  const { promise: begun, resolve: begin } = deferred<void>();
  end.addEventListener('abort', () => begin(), { once: true });
  const tell = (message: FromWorker) =>
    new Promise<void>((resolve) => {
      if (process.send && process.connected) process.send(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const start = new Promise<WorkerStart | undefined>((resolve) => {
    if (end.aborted) resolve(undefined);
    end.addEventListener('abort', () => resolve(undefined), { once: true });
    process.on('message', (message: ToWorker) => {
      switch (message.type) {
        case 'start':
          if (message.begun) begin();
          resolve(message);
          break;
        case 'begin':
          begin();
          break;
        case 'replaced':
          isReplaced = true;
          ending.abort();
          break;
        case 'stop':
          ending.abort();
          break;
        case 'report':
          report?.();
          break;
        case 'figures of all':
          waiting.get(message.id)?.resolve(message.text);
          waiting.delete(message.id);
          break;
      }
    });
  });
  void tell({ type: 'hello' });
  // Without this Node ends a worker in the middle of its requests when the primary has died.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => {
    isReplaced = true;
    for (const { reject } of waiting.values()) reject(new AppError('NOT_READY', 'The service is shutting down.'));
    ending.abort();
  });
  return {
    start,
    begun,
    end,
    isReplaced: () => isReplaced,
    onReport(told) {
      report = told;
    },
    figuresOfAll() {
      scrapes += 1;
      const id = scrapes;
      return new Promise<string>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        void tell({ type: 'scrape', id });
      });
    },
    tell,
  };
}

async function serve(context: Context, primary: Primary, { listen }: WorkerStart, untilReady: UntilReady) {
  const { end, tell } = primary;
  let server: RunningServer | undefined;
  const sendFigures = async () => {
    if (server) await tell({ type: 'figures', figures: await server.figures() });
  };
  const begin = async () => {
    const started = await startServer(context, { ready: false, ofAllWorkers: primary.figuresOfAll });
    primary.onReport(() => void sendFigures());
    return started;
  };
  try {
    if (listen === 'at once') {
      server = await begin();
      await tell({ type: 'listening', url: server.url, hasConsole: server.hasConsole });
    }
    await primary.begun;
    if (end.aborted || (await untilReady(context, end)) === undefined) return;
    server ??= await begin();
    server.begin();
    await tell({ type: 'ready', url: server.url, hasConsole: server.hasConsole });
    await aborted(end);
  } finally {
    if (primary.isReplaced()) await server?.handOver();
    else await server?.close();
    await sendFigures();
  }
}

/** Serves as one of the processes of `serve --workers`, until the primary process says otherwise, or has died. */
export async function serveAsWorker(run: Run, untilReady: UntilReady): Promise<Result> {
  // They go to all processes of a terminal or service: the primary says what follows.
  process.on('SIGHUP', () => undefined);
  const primary = connectPrimary(run.io.signal);
  try {
    const start = await primary.start;
    if (!start) return {};
    process.title = `coursectl worker ${start.number} of ${start.of}`;
    const context = await run.context(start.settings, { number: start.number, of: start.of });
    const restore = logConsoleWarnings(context.logger);
    try {
      await serve(context, primary, start, untilReady);
    } finally {
      restore();
    }
    return {};
  } catch (error) {
    // The primary says it, once.
    if (!isAppError(error)) throw error;
    await primary.tell({ type: 'failed', code: error.code, message: error.message });
    return { exitCode: exitCodeOf(error.code) };
  } finally {
    // The channel must not keep this process from ending.
    process.channel?.unref();
  }
}
