import type { Io } from './output.js';
import { runProgram } from './program.js';

// The database, secrets and passwords are this user's alone, whoever writes the file.
process.umask(0o077);

const interrupts = new AbortController();

/** The first Ctrl-C asks the command to end in good order, a second one doesn't wait for it. */
function interrupt(): void {
  if (interrupts.signal.aborted) process.exit(130);
  interrupts.abort();
}

// Advice to developers of the S3 client about its next versions has no place in an operator's terminal.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// A reader that went away ("| head") wants no more output, and no complaint.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
// Nobody reads the logs any more: a service goes on serving.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupts.signal,
};
process.exitCode = await runProgram(process.argv.slice(2), io);
