import { homedir, userInfo } from 'node:os';
import { systemErrorCode } from '../errors.js';
import { commandName } from '../installation.js';
import { exitCodeOf, exitCodes } from './core/command/exit-codes.js';
import type { Io } from './core/output/output.js';
import { runProgram } from './program.js';

// New files contain the database, secrets and passwords: only this user may read them.
process.umask(0o077);

// Commands read the environment only through this variable. The folder config/ interprets the settings.
const env = process.env;
const interrupts = new AbortController();

/** Lets the command end cleanly at the first Ctrl-C. A second Ctrl-C ends the process. */
function interrupt(): void {
  if (interrupts.signal.aborted) process.exit(130);
  interrupts.abort();
}

// Hides deprecation notices of the S3 client, which operators can't act on.
env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

process.on('SIGINT', () => {
  // An open pager handles Ctrl-C itself.
  if (!io.pagerOpen) interrupt();
});
process.on('SIGTERM', interrupt);
// A closed reader ("| head") is no failure. A full disk ("> file") is a failure.
process.stdout.on('error', (cause) => {
  const code = systemErrorCode(cause);
  if (code === 'EPIPE') process.exit(0);
  // Has no colours: their code loads later, with a command. The process must end before the command reports the same failure.
  process.stderr.write(`error: Standard output can't be written (${code}): it is not complete.\n`);
  process.exit(exitCodeOf('FILE_UNUSABLE'));
});
// If the reader of the log ends or its disk is full, the service continues, and logs again when possible.
process.stderr.on('error', () => undefined);
// Drops Sequelize's console message about a failed transaction: Sequelize also throws the error, and the command reports it.
const { warn } = console;
console.warn = (...args: unknown[]) => {
  if (!/^(Committing|Rolling back) transaction /.test(String(args[0]))) warn(...args);
};

/**
 * Whether the user has a home folder. A container may run as an unknown user without HOME. Then `homedir()` throws, also
 * in libraries while they load.
 */
function hasHome(): boolean {
  try {
    return homedir() !== '';
  } catch {
    return false;
  }
}

// Docker and systemd set the same folder.
if (!hasHome()) env.HOME = '/';

/** Returns the name of the system user. Containers may run as a user without a name: then returns the user id. */
function osUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? undefined : `uid ${process.getuid()}`;
  }
}

/** Returns the current folder. Ends the process if the folder was removed or replaced, such as by a deployment. */
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
