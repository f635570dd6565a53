import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitForUrl } from '../../test/faults/listening.js';

/** A running server: the service or its yardstick. */
export interface Candidate {
  process: ChildProcess;
  port: number;
}

/** Starts a program that prints its address as JSON. Its log goes to a file in the folder. */
export async function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<Candidate> {
  const options = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [];
  // A file, because this process would have to read a pipe, and the service waits for the reader of its log.
  const log = openSync(path.join(folder, `log-${randomUUID()}`), 'a');
  const child = spawn(process.execPath, [...options, ...args], { env, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  return { process: child, port: Number(new URL(await waitForUrl(child)).port) };
}

export async function stopCandidate({ process: child }: Candidate): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Returns the content of a file or folder of /proc, or `gone` if its process or thread has ended. */
function readIfRunning<T>(read: () => T, gone: T): T {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return gone;
    throw error;
  }
}

const textOf = (file: string) => readIfRunning(() => readFileSync(file, 'latin1'), '');

/** Returns a process and its descendants: the service decodes images in child processes. */
function processTree(pid: number): number[] {
  const threads = readIfRunning(() => readdirSync(`/proc/${pid}/task`), []);
  const children = threads.flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** All processes of a candidate. Linux only, like everything from /proc. */
const processIds = ({ process: { pid } }: Candidate): number[] => (pid === undefined ? [] : processTree(pid));

export const cpuSeconds = (candidate: Candidate): number => cpuSecondsOf(processIds(candidate));

/** Returns the processor time of processes, in seconds: 100 ticks of the kernel's clock are one. */
export function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const [, fields = ''] = textOf(`/proc/${pid}/stat`).split(') ');
    // Times of the process and its ended children; empty if it has just ended.
    return fields.split(' ').slice(11, 15).map(Number);
  });
  return ticks.flat().reduce((sum, value) => sum + value, 0) / 100;
}

/** Returns the memory of the largest process of a candidate, in MiB. */
const memory = (candidate: Candidate, field: 'VmRSS' | 'VmHWM') =>
  Math.max(
    ...processIds(candidate).map(
      // A process that is ending has no memory.
      (pid) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024,
    ),
  );

export const residentMemory = (candidate: Candidate) => memory(candidate, 'VmRSS');
/** Returns the peak memory so far, in MiB. */
export const peakMemory = (candidate: Candidate) => memory(candidate, 'VmHWM');
