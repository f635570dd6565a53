import { Command, CommanderError } from 'commander';
import { AppError } from '../errors.js';
import { packageFolder, packageVersion } from '../package-root.js';
import { register as registerAudit } from './commands/audit/index.js';
import { register as registerBackup } from './commands/backup/index.js';
import { register as registerCertificates } from './commands/certificates/index.js';
import { register as registerCompletion } from './commands/completion/index.js';
import { register as registerConfig } from './commands/config/index.js';
import { register as registerCourses } from './commands/courses/index.js';
import { register as registerDoctor } from './commands/doctor/index.js';
import { register as registerEnrollments } from './commands/enrollments/index.js';
import { register as registerFiles } from './commands/files/index.js';
import { register as registerGroups } from './commands/groups/index.js';
import { register as registerImports } from './commands/imports/index.js';
import { register as registerMail } from './commands/mail/index.js';
import { register as registerMigrate } from './commands/migrate/index.js';
import { register as registerOpen } from './commands/open/index.js';
import { register as registerOverview } from './commands/overview/index.js';
import { register as registerSeed } from './commands/seed/index.js';
import { register as registerServe } from './commands/serve/index.js';
import { register as registerSetup } from './commands/setup/index.js';
import { register as registerUsers } from './commands/users/index.js';
import { exitCodes } from './core/command/exit-codes.js';
import { defaultHelpWidth } from './core/command/help-text.js';
import type { Outcome } from './core/command/run.js';
import { asTyped, failureJson, type Io, writeLine } from './core/output/output.js';
import { printable } from './core/output/printable.js';

/** Builds the command line. Command files only declare commands. Implementations load when a command runs. */
export function createProgram(io: Io, outcome: Outcome): Command {
  const program = new Command('coursectl')
    .description('Course management: setup, service, accounts, courses and imports.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .showSuggestionAfterError()
    // Long command names leave less than 40 of 80 columns, which is commander's minimum for wrapping.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(printable(text)),
      // runProgram() prints errors, with suggestions.
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? defaultHelpWidth,
      getErrHelpWidth: () => io.stderr.columns ?? defaultHelpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      [
        `\nStart here:\n  ${asTyped(io, 'setup')}\n  ${asTyped(io, 'serve')}`,
        'Every command has --help with examples.',
        `Documentation: README.md and docs/ in\n  ${packageFolder}`,
      ].join('\n\n'),
    );
  const registry = { io, outcome };
  program.commandsGroup('People:');
  registerUsers(program, registry);
  registerGroups(program, registry);
  program.commandsGroup('Courses:');
  registerCourses(program, registry);
  registerEnrollments(program, registry);
  registerCertificates(program, registry);
  program.commandsGroup('Imports:');
  registerImports(program, registry);
  program.commandsGroup('Service:');
  registerSetup(program, registry);
  registerServe(program, registry);
  registerOpen(program, registry);
  registerMail(program, registry);
  registerOverview(program, registry);
  registerDoctor(program, registry);
  registerConfig(program, registry);
  registerAudit(program, registry);
  registerFiles(program, registry);
  registerBackup(program, registry);
  registerMigrate(program, registry);
  registerSeed(program, registry);
  registerCompletion(program, registry);
  program.helpCommand('help [command]', 'show the help of a command');
  return program;
}

/** Whether unparsed arguments ask for JSON. */
const wantsJson = (argv: readonly string[]) =>
  argv.some(
    (word, index) =>
      word === '--json' || word === '--output=json' || (word === 'json' && argv[index - 1] === '--output'),
  );

/**
 * Returns arguments that print the help for `coursectl help <words>`. Commander's own help command reads only one word,
 * and ignores an unknown word.
 */
function helpWords(program: Command, words: readonly string[]): string[] {
  const known: string[] = [];
  let command = program;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    // Without --help, commander reports the unknown command, and runProgram() adds suggestions.
    if (!next && command.commands.length > 0 && !word.startsWith('-')) return [...known, word];
    if (!next) break;
    known.push(word);
    command = next;
  }
  return [...known, '--help'];
}

/** Translates `help`, `version` and an empty command line into options of commander. */
function normalizedWords(program: Command, argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return ['--help'];
  if (first === 'version' && rest.length === 0) return ['--version'];
  return first === 'help' ? helpWords(program, rest) : [...argv];
}

/** Runs one command line. @param argv arguments after the program's name @returns the exit code */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const outcome: Outcome = { exitCode: exitCodes.ok };
  const program = createProgram(io, outcome);
  const words = normalizedWords(program, argv);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander throws help and version as "errors" with exit code 0.
    if (error.exitCode === 0) return exitCodes.ok;
    const { usageProblem, usageProblemText } = await import('./core/command/usage-error.js');
    const problem = usageProblem(io, program, words, error);
    // If a command is missing, commander has already printed the help.
    if (error.code !== 'commander.help') await writeLine(io.stderr, usageProblemText(io, problem));
    const failure = new AppError('USAGE', problem.replaceAll(/\n */g, ' '));
    if (wantsJson(argv)) await writeLine(io.stdout, printable(JSON.stringify(failureJson(io, failure))));
    return exitCodes.usage;
  }
  return outcome.exitCode;
}
