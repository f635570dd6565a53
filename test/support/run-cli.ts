import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import type { Io } from '../../src/cli/core/output/output.js';
import { loadConfig } from '../../src/config/config.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { temporaryFolder } from './temporary-folder.js';
import { type Dialogue, keys, openTerminal, type Terminal } from './terminal.js';

/**
 * Imports the program late, as commands import their code. Mocha loads test files by `require`, but imports inside of
 * them differ. A mixture of both has two classes for each error.
 */
async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const program = await import('../../src/cli/program.js');
  return program.runProgram(argv, io);
}

export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env: Record<string, string>;
  cwd: string;
  /** Input piped into the command. A stream may keep the command waiting. */
  stdin?: string | Buffer | Readable;
  signal?: AbortSignal;
  /** Called with the whole standard error whenever it grows. */
  onStderr?: (written: string) => void;
  /** Name by which the program was called. */
  calledAs?: string;
  /** User at the terminal. */
  osUser?: string;
  /** Width of the terminal, if there is one. */
  columns?: number;
  /** Size of a terminal for standard output. The output is still returned as text. */
  screen?: { columns: number; rows: number };
}

function collector(): { stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** Runs the command line in this process with pipes, like a script. */
export async function runCli(
  argv: readonly string[],
  {
    env,
    cwd,
    stdin = '',
    signal = new AbortController().signal,
    calledAs = 'coursectl',
    osUser,
    onStderr,
    screen,
  }: CliOptions,
): Promise<CliResult> {
  const input = stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]);
  const [stdout, stderr] = [collector(), collector()];
  if (onStderr) stderr.stream.on('data', () => onStderr(stderr.text()));
  if (screen) Object.assign(stdout.stream, { isTTY: true }, screen);
  const io: Io = { stdin: input, stdout: stdout.stream, stderr: stderr.stream, env, cwd, signal, calledAs, osUser };
  const exitCode = await runProgram(argv, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Result of a command at a terminal. `stderr` contains the escape sequences. */
export interface TerminalResult extends CliResult {
  terminal: Terminal;
}

/**
 * Runs the command line in this process at a terminal, like a person. Waits for expected text on the screen before each
 * input.
 */
async function runAtTerminal(
  argv: readonly string[],
  { env, cwd, signal = new AbortController().signal, columns }: Omit<CliOptions, 'stdin'>,
  dialogue: Dialogue,
): Promise<TerminalResult> {
  const terminal = openTerminal(columns);
  const stdout = collector();
  const io: Io = { stdin: terminal.stdin, stdout: stdout.stream, stderr: terminal.stderr, env, cwd, signal };
  const ended = runProgram(argv, io);
  try {
    await terminal.converse(dialogue, ended);
  } catch (error) {
    // No input will follow.
    terminal.stdin.push(keys.ctrlC);
    await ended;
    throw error;
  }
  const exitCode = await ended;
  return { exitCode, stdout: stdout.text(), stderr: terminal.written(), terminal };
}

export interface CommandLine {
  /** Working folder of commands: new and empty for each test. */
  folder: string;
  env: Record<string, string>;
  run(argv: readonly string[], options?: Partial<CliOptions>): Promise<CliResult>;
  /** Runs a command with `--json` added, and returns the printed object. */
  json<T>(argv: readonly string[], options?: Partial<CliOptions>): Promise<T>;
  /** Runs a command that must fail without a result, and returns its message. */
  refusal(argv: readonly string[], options?: Partial<CliOptions>): Promise<{ exitCode: number; message: string }>;
  atTerminal(argv: readonly string[], dialogue: Dialogue, options?: Partial<CliOptions>): Promise<TerminalResult>;
  /**
   * Opens the program on the database of the commands, to check their effects. Returns the same context during a test.
   */
  context(): Promise<Context>;
}

/**
 * Gives the enclosing `describe` a command line in an empty folder for each test.
 * @param environment returns the whole environment of commands
 */
export function useCommandLine(environment: () => Record<string, string>): CommandLine {
  let folder: ReturnType<typeof temporaryFolder>;
  let context: Context | undefined;
  const cli: CommandLine = {
    folder: '',
    env: {},
    run: (argv, options) => runCli(argv, { env: cli.env, cwd: cli.folder, ...options }),
    async json<T>(argv: readonly string[], options?: Partial<CliOptions>) {
      const { stdout } = await cli.run([...argv, '--json'], options);
      return JSON.parse(stdout) as T;
    },
    async refusal(argv, options) {
      const { exitCode, stdout, stderr } = await cli.run(argv, options);
      expect(stdout).to.equal('');
      return { exitCode, message: stderr.replace(/^error: |\n$/g, '') };
    },
    atTerminal: (argv, dialogue, options) =>
      runAtTerminal(argv, { env: cli.env, cwd: cli.folder, ...options }, dialogue),
    async context() {
      const silent = createLogger('silent', { write: () => undefined });
      context ??= await createContext(loadConfig({ env: cli.env, cwd: cli.folder }), silent);
      return context;
    },
  };
  beforeEach(() => {
    folder = temporaryFolder();
    cli.folder = folder.path;
    cli.env = environment();
  });
  afterEach(async () => {
    await context?.close();
    context = undefined;
    folder.remove();
  });
  return cli;
}
