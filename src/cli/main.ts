import { homedir, userInfo } from 'node:os';
import { systemErrorCode } from '../errors.js';
import { commandName } from '../installation.js';
import { exitCodeOf, exitCodes } from './core/command/exit-codes.js';
import type { Io } from './core/output/output.js';
import { runProgram } from './program.js';

// Files with the database, secrets and passwords are for this user only.
process.umask(0o077);

// Read here and handed on: commands know no other environment. What settings mean, config/ says.
const env = process.env;
const interrupts = new AbortController();

/** The first Ctrl-C lets the command end cleanly, a second one ends the process. */
function interrupt(): void {
  if (interrupts.signal.aborted) process.exit(130);
  interrupts.abort();
}

// Deprecation notices of the S3 client are for its developers, not for operators.
env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

process.on('SIGINT', () => {
  // A pager has it for itself.
  if (!io.pagerOpen) interrupt();
});
process.on('SIGTERM', interrupt);
// A reader that ended early ("| head") is no failure; a full disk under "> file" is one.
process.stdout.on('error', (cause) => {
  const code = systemErrorCode(cause);
  if (code === 'EPIPE') process.exit(0);
  // Plain: colours are loaded with commands, and the process must end before the command fails of it as well.
  process.stderr.write(`error: Standard output can't be written (${code}): it is not complete.\n`);
  process.exit(exitCodeOf('FILE_UNUSABLE'));
});
// The reader of the logs has gone, or their disk is full: the service continues, and logs again when it can.
process.stderr.on('error', () => undefined);
// Sequelize also writes to the console about a failed transaction, whose error it throws.
const { warn } = console;
console.warn = (...args: unknown[]) => {
  if (!/^(Committing|Rolling back) transaction /.test(String(args[0]))) warn(...args);
};

/**
 * A container may run as a user whom the system doesn't know. Where HOME isn't set either, Node throws when it is asked for the
 * home, which libraries do while they load. Like Docker and systemd, this takes the root folder then.
 */
function hasHome(): boolean {
  try {
    return homedir() !== '';
  } catch {
    return false;
  }
}

if (!hasHome()) env.HOME = '/';

/** Containers may run as a user without a name: then its number is known. */
function osUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? undefined : `uid ${process.getuid()}`;
  }
}

/** A folder that was replaced, as by a deployment, is none any more for the programs that are in it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    process.stderr.write(
      'error: The current folder no longer exists. Change to another folder, and run this again there.\n',
    );
    process.exit(exitCodes.failure);
  }
}

const cwd = currentFolder();
const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env,
  cwd,
  signal: interrupts.signal,
  calledAs: commandName(process.argv[1] ?? 'coursectl', { env, cwd }),
  osUser: osUser(),
};
process.exitCode = await runProgram(process.argv.slice(2), io);
