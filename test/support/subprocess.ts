import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessResult, useBuiltProgram } from './built-program.js';
import { scaled } from './machine.js';

export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** Whether standard input is an empty open pipe; otherwise there is no input. */
  keepStdinOpen?: boolean;
  /** File for standard error, instead of a pipe. */
  stderrFile?: string;
  /** Size of a pseudo-terminal. */
  size?: { columns: number; rows: number };
  /** User of the process, which only root can choose. */
  uid?: number;
}

export interface RunningProcess {
  /** Process id; undefined if the start failed. */
  pid: number | undefined;
  /** Resolves when the process ends, with its output. */
  ended: Promise<ProcessResult>;
  /** Waits for text on standard error or output since the last input. */
  waitForOutput(words: RegExp): Promise<RegExpExecArray>;
  /** Waits until the program has opened the database. Before that, a signal just ends the program. */
  waitForDatabase(): Promise<void>;
  /**
   * Waits for a while.
   * @throws Error if the process ends before
   */
  staysAlive(milliseconds: number): Promise<void>;
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  stopReading(stream: 'stdout' | 'stderr'): void;
}

export interface Subprocesses {
  start(argv: readonly string[], surroundings: ProcessOptions): RunningProcess;
  /** Runs a line of bash with the function `coursectl`. */
  startShell(line: string, surroundings: ProcessOptions): RunningProcess;
  /** Runs the program at a pseudo-terminal, which mixes all its output. */
  startAtTerminal(argv: readonly string[], surroundings: ProcessOptions): RunningProcess;
  /** Runs a line of `sh` at a pseudo-terminal, for example to start another shell. */
  startLineAtTerminal(line: string, surroundings: ProcessOptions): RunningProcess;
  /** Path of the built program. */
  program: string;
  /** Note for test titles if there is no pseudo-terminal; otherwise empty. */
  withoutTerminal: string;
}

/** Program of util-linux that runs a command at a pseudo-terminal. */
const pseudoTerminal = 'script';

/** Time limit for expected text, in milliseconds. */
const timeLimitMs = scaled(20_000);

/** Whether a process has loaded a native library. Without /proc, waits long enough and returns true. */
async function hasLoaded(pid: number | undefined, library: string): Promise<boolean> {
  if (!existsSync('/proc/self/maps')) return sleep(3000, true);
  const maps = `/proc/${pid}/maps`;
  return !existsSync(maps) || readFileSync(maps, 'utf8').includes(library);
}

function watch(child: ChildProcess): RunningProcess {
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  let over = false;
  const ended = new Promise<ProcessResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      over = true;
      if (code === null) reject(new Error(`ended by ${signal}: ${written.stderr}`));
      else resolve({ exitCode: code, ...written });
    });
  });
  // Marks the rejection as handled. Callers that await the promise still get the error.
  ended.catch(() => undefined);
  let from = 0;
  return {
    pid: child.pid,
    ended,
    async waitForOutput(words) {
      const deadline = Date.now() + timeLimitMs;
      for (;;) {
        const all = written.stderr + written.stdout;
        const found = words.exec(all.slice(from));
        if (found) return found;
        if (over || Date.now() > deadline) throw new Error(`${words} never appeared. Instead:\n${all.slice(from)}`);
        await sleep(10);
      }
    },
    async waitForDatabase() {
      // Works for every kind of database: after opening it, every command loads the library for password hashes.
      while (!(await hasLoaded(child.pid, '/bcrypt.'))) await sleep(10);
    },
    async staysAlive(milliseconds) {
      await sleep(milliseconds);
      if (over) throw new Error(`It has ended:\n${written.stderr}${written.stdout}`);
    },
    type(keys) {
      from = written.stderr.length + written.stdout.length;
      child.stdin?.write(keys);
    },
    kill: (signal) => void child.kill(signal),
    stopReading: (stream) => child[stream]?.destroy(),
  };
}

/** Gives the enclosing `describe` the built program to run. Processes that still run after a test are killed. */
export function useSubprocesses(): Subprocesses {
  const program = path.join(useBuiltProgram().path, 'bin', 'coursectl.js');
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  });

  function start(
    command: string,
    args: readonly string[],
    { keepStdinOpen, stderrFile, ...options }: ProcessOptions,
  ): RunningProcess {
    const stderr = stderrFile === undefined ? 'pipe' : openSync(stderrFile, 'a');
    const child = spawn(command, args, { ...options, stdio: [keepStdinOpen ? 'pipe' : 'ignore', 'pipe', stderr] });
    if (typeof stderr === 'number') closeSync(stderr);
    children.push(child);
    return watch(child);
  }

  function startLineAtTerminal(line: string, { size, ...surroundings }: ProcessOptions): RunningProcess {
    const sized = size ? `stty cols ${size.columns} rows ${size.rows}; ` : '';
    const env = { TERM: 'xterm', SHELL: '/bin/sh', ...surroundings.env };
    const args = ['--quiet', '--return', '--command', `${sized}${line}`, '/dev/null'];
    return start(pseudoTerminal, args, { ...surroundings, env, keepStdinOpen: true });
  }

  return {
    program,
    startLineAtTerminal,
    start: (argv, surroundings) => start(process.execPath, [program, ...argv], surroundings),
    startShell: (line, surroundings) =>
      start('bash', ['-c', `coursectl() { '${process.execPath}' '${program}' "$@"; }; ${line}`], surroundings),
    startAtTerminal: (argv, surroundings) =>
      startLineAtTerminal(`exec '${process.execPath}' '${program}' ${argv.join(' ')}`, surroundings),
    withoutTerminal: /util-linux/.test(spawnSync(pseudoTerminal, ['--version'], { encoding: 'utf8' }).stdout ?? '')
      ? ''
      : " (left out: util-linux's script is not installed)",
  };
}
