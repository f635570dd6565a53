import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { coresOf } from '../../../config/worker-share.js';
import type { Context } from '../../../context.js';
import { AppError } from '../../../errors.js';
import { createWorkerMetrics } from '../../../http/server/worker-metrics.js';
import { counted } from '../../core/output.js';
import { deferred } from './deferred.js';
import type { Listening } from './messages.js';
import { startWorkerProcess, type WorkerEnd, type WorkerProcess } from './worker-process.js';

/** A service of several processes. */
export interface Workers extends Listening {
  /** The database is current: starts all workers, and settles when they are ready. */
  begin(): Promise<void>;
  /** Rejects when a worker can't be kept running. */
  failure: Promise<never>;
  /** Ends all workers as `serve` alone ends. */
  close(): Promise<void>;
}

/** What workers are started with. */
export interface WorkersOptions {
  /** How many there are. */
  of: number;
  /** Options of the command line, by the name of their setting. */
  settings: Record<string, string>;
  env: Readonly<Record<string, string | undefined>>;
}

/** A worker that was ready for so long counts as sound, in milliseconds. */
const soundMs = 10_000;
/** The pause before a worker that ended soon is started again, in milliseconds; it doubles. */
const [firstPauseMs, longestPauseMs] = [200, 5000];
/** A worker that doesn't become ready so often in a row ends the service. */
const maxFailedStarts = 5;
/** How long a replacement may take to become ready, in milliseconds. */
const startMs = 60_000;
/** Longer than a worker takes to end: 24 s for requests, 6 s to close a database that is out of reach. */
const endMs = 35_000;
/** Threads for files and host names beside those for hashes, as in bin/coursectl.js. */
const otherThreads = 4;

/** The place of a worker, which several processes have one after the other. */
interface Slot {
  number: number;
  current?: WorkerProcess | undefined;
  /** What replaces it when it is ready. */
  next?: WorkerProcess | undefined;
  /** How often in a row it ended soon after its start, and before it was ready. */
  soon: number;
  failedStarts: number;
}

/** Hash slots are divided, and with them the threads that hash; a number that the operator has set is kept. */
function threadsOf(of: number, given: string | undefined): Record<string, string> {
  const isOwn = given === String(availableParallelism() + otherThreads);
  return isOwn ? { UV_THREADPOOL_SIZE: String(coresOf(of) + otherThreads) } : {};
}

const describeEnd = ({ code, signal }: WorkerEnd) => (signal === null ? `exit code ${code}` : signal);

/**
 * Starts the workers of a service, and keeps them running until it is closed. The first listens at once.
 * @throws AppError `PORT_UNAVAILABLE`, or why the first can't start
 */
export async function startWorkers(
  { logger, config }: Context,
  { of, settings, env }: WorkersOptions,
): Promise<Workers> {
  const slots = Array.from({ length: of }, (_, index): Slot => ({ number: index + 1, soon: 0, failedStarts: 0 }));
  const processes = new Set<WorkerProcess>();
  const stopping = new AbortController();
  const metrics = createWorkerMetrics(() => [...processes].filter((worker) => worker.isReady()).length);
  let begun = false;
  let port = String(config.http.port);
  let url: string | undefined;
  const { promise: failure, reject: fail } = deferred<never>();

  let gathering: Promise<string> | undefined;
  function figuresOfAll(): Promise<string> {
    gathering ??= Promise.all([...processes].map((worker) => worker.report()))
      .then(() => metrics.text())
      .finally(() => {
        gathering = undefined;
      });
    return gathering;
  }

  cluster.setupPrimary({ args: ['serve', '--quiet'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });

  function launch(slot: Slot): WorkerProcess {
    const othersListen = () => [...processes].some((other) => other !== worker && other.isListening());
    const isFirst = ![...processes].some((other) => other.isListening());
    // Workers share an address that was opened for any port; when none has it any more, the port that it got is kept.
    if (isFirst && url !== undefined) port = new URL(url).port || port;
    const worker = startWorkerProcess(
      {
        number: slot.number,
        of,
        settings: { ...settings, PORT: port },
        listen: isFirst ? 'at once' : 'when ready',
        begun,
      },
      threadsOf(of, env.UV_THREADPOOL_SIZE),
      { figuresOfAll, othersListen, onFigures: (figures) => metrics.keep(worker.id, figures) },
    );
    processes.add(worker);
    void worker.ended.then((end) => {
      processes.delete(worker);
      metrics.end(worker.id);
      if (slot.current === worker) void restart(slot, worker, end);
    });
    return worker;
  }

  function start(slot: Slot): void {
    slot.current = launch(slot);
  }

  async function restart(slot: Slot, worker: WorkerProcess, end: WorkerEnd): Promise<void> {
    slot.current = undefined;
    if (stopping.signal.aborted) return;
    metrics.countFailure();
    slot.soon = worker.readyForMs() < soundMs ? slot.soon + 1 : 0;
    slot.failedStarts = worker.readyForMs() > 0 ? 0 : slot.failedStarts + 1;
    const why = worker.failure();
    const about = { worker: slot.number, end: describeEnd(end), ...(why && { reason: why.message }) };
    if (slot.failedStarts >= maxFailedStarts) {
      logger.error(about, 'a worker does not start');
      const times = `Worker ${slot.number} ended before it was ready, ${counted(maxFailedStarts, 'time')} in a row`;
      const last = why ? `: ${why.message}` : ` (${describeEnd(end)}). The log says why.`;
      fail(new AppError(why?.code ?? 'WORKER_FAILED', times + last));
      return;
    }
    const pauseMs = slot.soon === 0 ? 0 : Math.min(firstPauseMs * 2 ** (slot.soon - 1), longestPauseMs);
    logger.warn({ ...about, pauseMs }, 'a worker has ended, and is started again');
    // It fails only when it is aborted, which is checked below.
    await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    if (!stopping.signal.aborted && !slot.current && !slot.next) start(slot);
  }

  /** @returns whether it went well */
  async function replace(slot: Slot, old: WorkerProcess): Promise<boolean> {
    const next = launch(slot);
    slot.next = next;
    const timer = setTimeout(next.kill, startMs);
    const isReady = await next.ready.then(
      () => true,
      () => false,
    );
    clearTimeout(timer);
    slot.next = undefined;
    if (isReady) {
      slot.current = next;
      [slot.soon, slot.failedStarts] = [0, 0];
      old.send({ type: 'replaced' });
      await old.endsWithin(endMs);
      return true;
    }
    if (stopping.signal.aborted) return false;
    const reason = next.failure()?.message;
    logger.error(
      { worker: slot.number, reason },
      'the replacement of a worker did not become ready: the others are kept',
    );
    // The old one may have ended meanwhile.
    if (!slot.current) start(slot);
    return false;
  }

  let replacing: Promise<void> | undefined;
  let isAskedAgain = false;
  async function replaceAll(): Promise<void> {
    do {
      isAskedAgain = false;
      logger.info('replacing the workers');
      let replaced = 0;
      for (const slot of slots) {
        const old = slot.current;
        // One that isn't ready is new.
        if (stopping.signal.aborted || !old?.isReady()) continue;
        if (!(await replace(slot, old))) break;
        replaced += 1;
      }
      logger.info({ replaced }, 'workers were replaced');
    } while (isAskedAgain && !stopping.signal.aborted);
    replacing = undefined;
  }
  const onHangUp = () => {
    if (replacing) isAskedAgain = true;
    else if (begun && !stopping.signal.aborted) replacing = replaceAll();
  };
  // When this process is ended at once, by a second Ctrl-C, nothing is left.
  const onExit = () => {
    for (const worker of processes) worker.kill();
  };
  process.on('SIGHUP', onHangUp);
  process.on('exit', onExit);

  async function close(): Promise<void> {
    stopping.abort();
    for (const worker of processes) worker.send({ type: 'stop' });
    await Promise.all([...processes].map((worker) => worker.endsWithin(endMs)));
    await replacing;
    process.off('SIGHUP', onHangUp);
    process.off('exit', onExit);
  }

  const [first] = slots;
  if (!first) throw new Error('There is no worker to start.');
  const firstProcess = launch(first);
  try {
    const listening = await firstProcess.listening;
    url = listening.url;
    first.current = firstProcess;
    // It may have ended meanwhile.
    if (!firstProcess.isListening()) start(first);
    return {
      ...listening,
      failure,
      async begin() {
        begun = true;
        for (const slot of slots) {
          if (slot.current) slot.current.send({ type: 'begin' });
          else if (slot !== first) start(slot);
        }
        await allReady(slots, stopping.signal);
        logger.info({ workers: of }, 'workers are ready');
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How often it is checked whether all workers are ready, in milliseconds. */
const checkEveryMs = 50;

/** A worker that ends meanwhile is started again: which process becomes ready isn't known. */
async function allReady(slots: readonly Slot[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !slots.every(({ current }) => current?.isReady())) await sleep(checkEveryMs);
}
