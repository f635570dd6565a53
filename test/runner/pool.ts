import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { repository } from './files.js';
import type { DatabaseKind, WorkerOptions } from './options.js';
import { emptyResult, type FileResult, type LegResult, legResult } from './result.js';

/** The tests on one database. */
export interface Leg {
  kind: DatabaseKind;
  /** In the order in which they are started. */
  files: readonly string[];
  /** What their worker processes get on top of this process's environment. */
  env: Record<string, string>;
}

export interface PoolOptions extends WorkerOptions {
  /** How many worker processes there are at once. */
  jobs: number;
  /** The databases among which they are divided; the workers of one that has no more files go to the others. */
  kinds: readonly DatabaseKind[];
  /** Whether a file may be started now. Not asked again before {@link WorkerPool.wake}, or the end of another file. */
  isReady?(file: string): boolean;
  /** Told what came of each file. */
  report(kind: DatabaseKind, result: FileResult): void;
}

interface Work {
  /** The file that the worker process runs, or ran last; none before its first one. */
  file?: string;
  isRunning: boolean;
}

interface RunningLeg {
  kind: DatabaseKind;
  env: Record<string, string>;
  waiting: string[];
  workers: Map<ChildProcess, Work>;
  results: LegResult['files'];
  done(result: LegResult): void;
}

const script = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** Runs test files in worker processes, each of which has one database. */
export class WorkerPool {
  private readonly legs = new Set<RunningLeg>();
  private readonly awaited: Set<DatabaseKind>;
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {
    this.awaited = new Set(options.kinds);
  }

  /** Runs test files on a database. */
  run({ kind, files, env }: Leg): Promise<LegResult> {
    this.awaited.delete(kind);
    return new Promise((done) => {
      const leg = { kind, env, waiting: [...files], workers: new Map(), results: [], done };
      this.legs.add(leg);
      this.endIfDone(leg);
      this.fill();
    });
  }

  /** Leaves a database out: its share goes to the others. */
  leaveOut(kind: DatabaseKind): void {
    this.awaited.delete(kind);
    this.fill();
  }

  /** Asks again which files may be started. */
  wake(): void {
    this.fill();
  }

  /** Ends all worker processes, and starts no more files. */
  close(): void {
    this.isClosed = true;
    for (const leg of this.legs) {
      leg.waiting.length = 0;
      for (const worker of leg.workers.keys()) worker.kill();
    }
  }

  /** Gives files to workers without one, and starts workers while there may be more. */
  private fill(): void {
    for (const leg of this.legs)
      for (const [worker, { isRunning }] of leg.workers) if (!isRunning) this.giveNext(leg, worker);
    for (;;) {
      const leg = this.nextToGrow();
      if (!leg) return;
      this.giveNext(leg, this.start(leg));
    }
  }

  /** The database that gets another worker: of those with files to start the one with the fewest. */
  private nextToGrow(): RunningLeg | undefined {
    const { jobs } = this.options;
    const legs = [...this.legs];
    const workers = legs.reduce((so, leg) => so + leg.workers.size, 0);
    if (this.isClosed || workers >= jobs) return undefined;
    const share = Math.ceil(jobs / (this.awaited.size + legs.filter(({ waiting }) => waiting.length > 0).length));
    return legs
      .filter((leg) => leg.workers.size < share && leg.waiting.some((file) => this.isReady(file)))
      .sort((one, other) => one.workers.size - other.workers.size)[0];
  }

  private isReady(file: string): boolean {
    return this.options.isReady?.(file) ?? true;
  }

  private start(leg: RunningLeg): ChildProcess {
    const { timeoutMs, grep } = this.options;
    const { TEST_DATABASE_URL: _, ...inherited } = process.env;
    const worker = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify({ timeoutMs, grep })], {
      cwd: repository,
      env: { ...inherited, ...leg.env, TEST_DATABASE_KIND: leg.kind, TEST_WORKER: '1' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    leg.workers.set(worker, { isRunning: false });
    worker.on('message', (result: FileResult) => {
      this.take(leg, result);
      this.giveNext(leg, worker);
      this.fill();
    });
    // The channel is closed when the last message is read. There is no event for both.
    void Promise.all([once(worker, 'exit'), once(worker, 'disconnect')]).then(([[exitCode, signal]]) => {
      const { file = 'no file', isRunning = false } = leg.workers.get(worker) ?? {};
      leg.workers.delete(worker);
      // Something that the file left behind may end the process later: a failure all the same.
      if (!this.isClosed && (isRunning || exitCode !== 0)) {
        const text = `The worker process ended with ${signal ?? `exit code ${exitCode}`}.`;
        this.take(leg, { ...emptyResult(file), failures: [{ title: 'The file runs to its end', text }] });
      }
      this.endIfDone(leg);
      this.fill();
    });
    return worker;
  }

  /** Gives a worker its next file. It ends when there is none, and waits when none is ready. */
  private giveNext(leg: RunningLeg, worker: ChildProcess): void {
    // It has ended, or is about to.
    if (!worker.connected) return;
    const next = leg.waiting.findIndex((file) => this.isReady(file));
    const [file] = next < 0 ? [] : leg.waiting.splice(next, 1);
    if (file !== undefined) {
      leg.workers.set(worker, { file, isRunning: true });
      worker.send(file);
      return;
    }
    leg.workers.set(worker, { ...leg.workers.get(worker), isRunning: false });
    if (leg.waiting.length === 0) worker.disconnect();
  }

  private take(leg: RunningLeg, result: FileResult): void {
    leg.results.push({ kind: leg.kind, ...result });
    this.options.report(leg.kind, result);
  }

  private endIfDone(leg: RunningLeg): void {
    if (leg.waiting.length > 0 || leg.workers.size > 0) return;
    this.legs.delete(leg);
    leg.done(legResult(leg.results));
  }
}
