import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessResult, useBuiltProgram } from './built-program.js';
import { scaled } from './machine.js';

export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** Standard input is a pipe that nothing comes through; otherwise there is none. */
  keepStdinOpen?: boolean;
  /** The file that standard error goes to, instead of a pipe. */
  stderrFile?: string;
  /** Columns and lines of a pseudo-terminal. */
  size?: { columns: number; rows: number };
  /** Whose process it is; only root can say so. */
  uid?: number;
}

/** A process under way. */
export interface RunningProcess {
  /** Of the process that was started; none when that failed. */
  pid: number | undefined;
  /** Settles when it ends, with all that it wrote. */
  ended: Promise<ProcessResult>;
  /** Waits for words on standard error or output that were not asked for before. */
  waitForOutput(words: RegExp): Promise<RegExpExecArray>;
  /** Waits until the program has come so far that it opens the database. Before it has begun, a signal just ends it. */
  waitForDatabase(): Promise<void>;
  /** Waits to see whether it goes on. @throws when it ends meanwhile */
  staysAlive(milliseconds: number): Promise<void>;
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  stopReading(stream: 'stdout' | 'stderr'): void;
}

export interface Subprocesses {
  start(argv: readonly string[], surroundings: ProcessOptions): RunningProcess;
  /** Runs a line of bash in which `coursectl` is the program. */
  startShell(line: string, surroundings: ProcessOptions): RunningProcess;
  /** Runs the program at a pseudo-terminal, on whose single screen all that it writes appears. */
  startAtTerminal(argv: readonly string[], surroundings: ProcessOptions): RunningProcess;
  /** Runs a line of `sh` at a pseudo-terminal, such as one that starts another shell. */
  startLineAtTerminal(line: string, surroundings: ProcessOptions): RunningProcess;
  /** The path of the built program; known when tests run. */
  program: string;
  /** Why there is no pseudo-terminal; empty when there is one. */
  withoutTerminal: string;
}

/** Runs a command at a terminal of its own; its options are those of util-linux. */
const pseudoTerminal = 'script';

/** How long words may take to appear, in milliseconds. */
const timeLimitMs = scaled(20_000);

/** Whether a process has loaded a native library; where nothing tells of it, after a time that is enough. */
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
  // Marks the rejection as handled; those who await it still get it.
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
      // Whatever database it is: every command that has opened one goes on to load what hashes passwords.
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

/** Gives the enclosing `describe` the built program to run. What still runs after a test is killed. */
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
