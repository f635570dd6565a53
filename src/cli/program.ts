import { Command, CommanderError } from 'commander';
import { AppError } from '../errors.js';
import { packageVersion } from '../version.js';
import { register as registerAudit } from './commands/audit/index.js';
import { register as registerBackup } from './commands/backup/index.js';
import { register as registerCompletion } from './commands/completion/index.js';
import { register as registerConfig } from './commands/config/index.js';
import { register as registerCourses } from './commands/courses/index.js';
import { register as registerDoctor } from './commands/doctor/index.js';
import { register as registerEnrollments } from './commands/enrollments/index.js';
import { register as registerFiles } from './commands/files/index.js';
import { register as registerImports } from './commands/imports/index.js';
import { register as registerMigrate } from './commands/migrate/index.js';
import { register as registerOpen } from './commands/open/index.js';
import { register as registerOverview } from './commands/overview/index.js';
import { register as registerSeed } from './commands/seed/index.js';
import { register as registerServe } from './commands/serve/index.js';
import { register as registerSetup } from './commands/setup/index.js';
import { register as registerUsersEdit } from './commands/users/edit.js';
import { register as registerUsersExport } from './commands/users/export.js';
import { register as registerUsersImport } from './commands/users/import.js';
import { register as registerUsers } from './commands/users/index.js';
import { register as registerUsersRegister } from './commands/users/register.js';
import { register as registerUsersResetPassword } from './commands/users/reset-password.js';
import { register as registerUsersSessions } from './commands/users/sessions.js';
import { register as registerUsersTransfer } from './commands/users/transfer.js';
import { exitCodes } from './core/exit-codes.js';
import { defaultHelpWidth } from './core/help-text.js';
import { asTyped, failureJson, type Io, writeLine } from './core/output.js';
import { printable } from './core/printable.js';
import type { Outcome } from './core/run.js';

/** Builds the whole command line. Command files only declare; what they need they load when they run. */
export function createProgram(io: Io, outcome: Outcome): Command {
  const program = new Command('coursectl')
    .description('Course management: setup, service, accounts, courses and imports.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see how it is used.')
    .helpCommand('help [command]', 'show the help of a command')
    // Beside long names of commands, 80 columns leave less than the 40 that commander wraps by itself.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(printable(text)),
      getOutHelpWidth: () => io.stdout.columns ?? defaultHelpWidth,
      getErrHelpWidth: () => io.stderr.columns ?? defaultHelpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      `\nStart here:\n  ${asTyped(io, 'setup')}\n  ${asTyped(io, 'serve')}\n\nEvery command has --help with examples.`,
    );
  const registry = { io, outcome };
  registerSetup(program, registry);
  registerServe(program, registry);
  registerOpen(program, registry);
  registerOverview(program, registry);
  const users = registerUsers(program, registry);
  registerUsersRegister(users, registry);
  registerUsersEdit(users, registry);
  registerUsersResetPassword(users, registry);
  registerUsersTransfer(users, registry);
  registerUsersSessions(users, registry);
  registerUsersImport(users, registry);
  registerUsersExport(users, registry);
  registerImports(program, registry);
  registerCourses(program, registry);
  registerEnrollments(program, registry);
  registerFiles(program, registry);
  registerAudit(program, registry);
  registerBackup(program, registry);
  registerMigrate(program, registry);
  registerSeed(program, registry);
  registerDoctor(program, registry);
  registerConfig(program, registry);
  registerCompletion(program, registry);
  return program;
}

/** Whether the command line asks for JSON, as far as that shows before it is understood. */
const wantsJson = (argv: readonly string[]) =>
  argv.some(
    (word, index) =>
      word === '--json' || word === '--output=json' || (word === 'json' && argv[index - 1] === '--output'),
  );

/**
 * The words for which commander shows the help that `help` was asked for: its own help command looks at one word, and takes unknown
 * ones for none.
 */
function helpOf(program: Command, words: readonly string[]): string[] {
  const known: string[] = [];
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    // Without --help, commander says that the command is unknown, and what may have been meant.
    if (!next && command.commands.length > 0 && !word.startsWith('-')) return [...known, word];
    if (!next) break;
    known.push(word);
    command = next;
  }
  return [...known, '--help'];
}

/** Runs one command line. @param argv the arguments after the program's name @returns the exit code */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const outcome: Outcome = { exitCode: exitCodes.ok };
  try {
    const program = createProgram(io, outcome);
    const [first, ...rest] = argv;
    await program.parseAsync(first === 'help' ? helpOf(program, rest) : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version come as "errors" with exit code 0.
    if (error.exitCode === 0) return exitCodes.ok;
    // Commander has printed the text for people only.
    if (wantsJson(argv)) await writeLine(io.stdout, printable(JSON.stringify(failureJson(io, usageError(error)))));
    return exitCodes.usage;
  }
  return outcome.exitCode;
}

function usageError({ code, message }: CommanderError): AppError {
  // Commander shows the help when a subcommand is missing.
  if (code === 'commander.help') return new AppError('USAGE', 'A command is missing. Add --help to list the commands.');
  return new AppError('USAGE', message.replace(/^error: /, '').replaceAll('\n', ' '));
}
