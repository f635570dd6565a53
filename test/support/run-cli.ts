import { PassThrough } from 'node:stream';
import type { Io } from '../../src/cli/output.js';
import { runProgram } from '../../src/cli/program.js';

export interface CliResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  env: Record<string, string>;
  cwd: string;
  /** What is piped into the command. */
  stdin?: string;
  signal?: AbortSignal;
}

function collector(): { stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** Runs the command line in this process, with pipes for streams, as a script would. */
export async function runCli(
  argv: readonly string[],
  { env, cwd, stdin = '', signal = new AbortController().signal }: CliOptions,
): Promise<CliResult> {
  const input = new PassThrough();
  input.end(stdin);
  const [stdout, stderr] = [collector(), collector()];
  const io: Io = { stdin: input, stdout: stdout.stream, stderr: stderr.stream, env, cwd, signal };
  const exitCode = await runProgram(argv, io);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}
