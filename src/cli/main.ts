import { AppError, systemErrorCode } from '../errors.js';
import { commandName } from '../installation.js';
import { exitCodeOf } from './core/exit-codes.js';
import { failureText, type Io, paintFor } from './core/output.js';
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
// A reader that went away ("| head") wants no more output, and no complaint. A full disk under "> file" is one.
process.stdout.on('error', (cause) => {
  const code = systemErrorCode(cause);
  if (code === 'EPIPE') process.exit(0);
  const failure = new AppError('FILE_UNUSABLE', `Standard output can't be written (${code}): it is not complete.`, {
    cause,
  });
  process.stderr.write(`${failureText(failure, paintFor(process.stderr, process.env), false)}\n`);
  process.exit(exitCodeOf(failure.code));
});
// Nobody reads the logs any more, or their disk is full: a service goes on serving, and its logs when there is room again.
process.stderr.on('error', () => undefined);
// Sequelize tells the console, too, of a transaction that it then throws: such lines have no place among ours.
const { warn } = console;
console.warn = (...args: unknown[]) => {
  if (!/^(Committing|Rolling back) transaction /.test(String(args[0]))) warn(...args);
};

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupts.signal,
  calledAs: commandName(process.argv[1] ?? 'coursectl', { env: process.env, cwd: process.cwd() }),
};
process.exitCode = await runProgram(process.argv.slice(2), io);
