import type { ChalkInstance } from 'chalk';
import type { Command } from 'commander';
import type { Config } from '../../../config/config.js';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Context } from '../../../services/context.js';
import { wrapHanging } from '../output/fit.js';
import { type Display, failureJson, type Io, widthOf, withCommandLines, writeLine } from '../output/output.js';
import { failureText, paintFor, stackText } from '../output/paint.js';
import { printable } from '../output/printable.js';
import {
  type ArgumentValues,
  type Choices,
  type commonOptions,
  type None,
  type Options,
  type OptionValues,
  parsedInput,
} from './declaration.js';
import { PartialFailure, rewordForTerminal } from './error-messages.js';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.js';

type CommonOptions = OptionValues<typeof commonOptions>;

/** What a command works with; what it was called with has the types of its declaration. */
export interface Run<Usage extends string = '', O extends Options = None, C extends Choices = None> {
  io: Io;
  arguments: ArgumentValues<Usage, C>;
  options: OptionValues<O> & CommonOptions;
  /** Colours for text on standard output. */
  paint: ChalkInstance;
  /** The terminal that tables are made for, if standard output is one. */
  display: Display;
  /** Whether questions can be answered: both ends are a terminal, and there is no `--json`. */
  interactive: boolean;
  /** The settings; `overrides` are options of the command line that stand above the environment. */
  config(overrides?: Record<string, string | undefined>): Promise<Config>;
  /**
   * The assembled program; closed by itself when the command ends.
   * @throws AppError `DATABASE_MISSING` where there is no file and the command doesn't create one; `SCHEMA_OUTDATED` where the
   *   schema isn't what the command needs
   */
  context(overrides?: Record<string, string | undefined>): Promise<Context>;
  /** Says something to the person at the terminal, on standard error; silent with `--quiet` or `--json`. */
  say(text: string, options?: Pick<Result, 'painted'>): void;
  /** Writes a line of data to standard output immediately, for commands whose data doesn't fit into a result. */
  emit(line: string): Promise<void>;
}

/** What a command gives back: one result in two renderings. */
export interface Result {
  /** One object, for `--json`; absent when the data went out line by line. */
  json?: object;
  /** For people. */
  text?: string;
  /** The text has colours, and is {@link printable} without them. */
  painted?: true;
  /** Writes what goes out in pieces, in place of both. */
  write?: () => Promise<void>;
  exitCode?: ExitCode;
}

/**
 * Which database schema a command works on: `current`: this program's, for commands that write
 * rows; `not newer`: not changed by a newer program, for commands that change the schema; or any.
 */
type SchemaNeed = 'current' | 'not newer' | 'any';

/**
 * What a command does where the file of its SQLite database doesn't exist. Commands that don't declare it are refused: one
 * that is called in the wrong folder must not leave a database there. Only `restored` goes on where a restore was interrupted.
 */
type MissingDatabase = 'created' | 'created with --migrate' | 'reported' | 'restored';

/** What a command needs for its work. */
export interface Needs {
  /** Looked at when the command opens the database. */
  schema: SchemaNeed;
  missingDatabase?: MissingDatabase;
  /** Whether its result names misspelt settings; other commands warn of them. */
  reportsSettings?: boolean;
  /** The imports that a person can choose of where none is named: by default all. Those without rows any more never are. */
  importsToChoose?: readonly ImportStatus[];
  /** Whether the command handles Ctrl-C itself, as those that write do by default; others are aborted. */
  stopsItself?: boolean;
}

/** What a command does. */
export interface Work<Usage extends string, O extends Options, C extends Choices> {
  /**
   * Refuses options and arguments for what they are, before anything is opened, looked up, chosen or asked. What the command
   * line doesn't name and a person may choose isn't among the arguments yet.
   */
  check?: (run: Run<Usage, O, C>) => void | Promise<void>;
  run: (run: Run<Usage, O, C>) => Promise<Result>;
}

/** Whether `--output json` was given, which `--json` is short for: other commands have a file of that name. */
function isJsonFormat(command: Command): boolean {
  const option = command.options.find(({ long }) => long === '--output');
  return option?.argChoices !== undefined && command.getOptionValue('output') === 'json';
}

/** The result of a command line. */
export interface Outcome {
  exitCode: ExitCode;
}

/**
 * @param isCreated whether the command creates a missing database
 * @throws AppError `DATABASE_MISSING` instead of opening a file that isn't there, which would create it
 */
export async function assertDatabaseExists(config: Config, isCreated = false): Promise<void> {
  const { database } = config;
  if (database.dialect !== 'sqlite') return;
  const { stat } = await import('node:fs/promises');
  // Of other faults opening the file says more.
  const found = await stat(database.file).catch((error: unknown) => systemErrorCode(error) === 'ENOENT');
  if (found === false || (found !== true && found.size > 0)) return;
  const { assertNoUnfinishedRestore } = await import('../../../services/maintenance/backup/database-file.js');
  await assertNoUnfinishedRestore(config);
  if (isCreated || found !== true) return;
  throw new AppError(
    'DATABASE_MISSING',
    `There is no database at ${database.file}. If that is the wrong folder, change to the right one, or set DATABASE_URL or DATA_DIR. To create a database there, run: coursectl setup`,
  );
}

function makeRun<Usage extends string, O extends Options, C extends Choices>(
  io: Io,
  command: Command,
  { schema, missingDatabase, reportsSettings = false }: Needs,
  opened: Context[],
): { run: Run<Usage, O, C>; missing: readonly string[] } {
  const { arguments: given, options, missing } = parsedInput<Usage, O & typeof commonOptions, C>(command);
  if (isJsonFormat(command)) options.json = true;
  const say: Run['say'] = (text, { painted } = {}) => {
    if (!options.quiet && !options.json) io.stderr.write(`${painted ? text : printable(text)}\n`);
  };
  let isWarned = reportsSettings;
  const config: Run['config'] = async (overrides = {}) => {
    const [{ loadConfig }, { settingWarnings }] = await Promise.all([
      import('../../../config/config.js'),
      import('../../../config/setting-warnings.js'),
    ]);
    // Before the settings are checked: one that is misspelt may be the one that is missing.
    if (!isWarned) for (const warning of settingWarnings(io)) say(`warning: ${warning}`);
    isWarned = true;
    try {
      return loadConfig({ env: { ...io.env, ...overrides }, cwd: io.cwd });
    } catch (error) {
      // An invalid option is an error of usage, not of the configuration.
      if (!isAppError(error, 'CONFIG_INVALID') || !error.details.some(({ path }) => overrides[path])) throw error;
      throw new AppError('USAGE', error.details.map(({ message }) => message).join(' '), { cause: error });
    }
  };
  const open = async (overrides?: Record<string, string | undefined>): Promise<Context> => {
    const [{ createContext }, { createLogger }, { logStream }] = await Promise.all([
      import('../../../services/context.js'),
      import('../../../logger.js'),
      import('../output/log-stream.js'),
    ]);
    const settings = await config(overrides);
    const isCreated =
      missingDatabase === 'created' ||
      (missingDatabase === 'created with --migrate' && command.opts().migrate === true);
    if (missingDatabase !== 'reported' && missingDatabase !== 'restored')
      await assertDatabaseExists(settings, isCreated);
    const level = command.name() === 'serve' ? settings.logLevel : options.verbose ? 'debug' : 'silent';
    // What is silent needs no format.
    const stream = await logStream(level === 'silent' ? 'json' : settings.logFormat, io);
    const logger = createLogger(level, stream);
    const context = await createContext(settings, logger, { osUser: io.osUser });
    opened.push(context);
    if (schema === 'current') await context.schema.assertCurrent();
    if (schema === 'not newer') await context.schema.assertNotNewer();
    return context;
  };
  let shared: Promise<Context> | undefined;
  const run: Run<Usage, O, C> = {
    io,
    arguments: given,
    options,
    paint: paintFor(io.stdout, io.env),
    display: { width: widthOf(io.stdout), now: new Date() },
    interactive: Boolean(io.stdin.isTTY && io.stderr.isTTY && !options.json),
    config,
    context(overrides) {
      if (overrides) return open(overrides);
      shared ??= open();
      return shared;
    },
    say,
    emit: (line) => writeLine(io.stdout, printable(line)),
  };
  return { run, missing };
}

/** Rejects when the operator presses Ctrl-C. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const interrupt = () => reject(new AppError('INTERRUPTED'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
}

/** Gives the seats that a command has freed to the waiting lists. */
async function finishPromotion(context: Context, { say }: Pick<Run, 'say'>, { signal }: Io): Promise<void> {
  const freed = context.freedSeats.take();
  if (freed.length === 0) return;
  const { promoteFreed } = await import('../../../services/waiting-list/promotion.js');
  const isDue = await promoteFreed(context, freed, signal);
  if (isDue)
    say('Free seats are left for waiting lists: the service gives them within seconds, or once it is started.');
}

async function report(
  thrown: unknown,
  command: Command,
  io: Io,
  options: CommonOptions,
  context?: Context,
): Promise<ExitCode> {
  const { failure, left } = thrown instanceof PartialFailure ? thrown : { failure: thrown };
  const paint = paintFor(io.stderr, io.env);
  // Where nobody can read it, on a full disk or a closed pipe, the exit code says what happened.
  const complain = (text: string) => writeLine(io.stderr, text).catch(() => undefined);
  const verbose = Boolean(options.verbose);
  if (options.json) {
    await writeLine(io.stdout, printable(JSON.stringify({ ...failureJson(io, failure), ...left?.json })));
    // Programs read the object; the stack is for people, as debug logs are.
    if (verbose && failure instanceof Error) await complain(stackText(failure, paint));
  } else {
    const worded = await rewordForTerminal(command, failure, context);
    const message = withCommandLines(io, failureText(worded, paint, verbose));
    const lines = left === undefined ? message : `${message}\n${printable(left.text)}`;
    const broken = lines.split('\n').flatMap((line) => wrapHanging(line, widthOf(io.stderr)));
    if (verbose && worded instanceof Error) broken.splice(message.split('\n').length, 0, stackText(worded, paint));
    await complain(broken.join('\n'));
  }
  return isAppError(failure) ? exitCodeOf(failure.code) : exitCodes.bug;
}

/**
 * Runs a command that returns its result: prints the result or the failure, closes what was opened, and leaves the exit
 * code in `outcome`.
 */
export async function runCommand<Usage extends string, O extends Options, C extends Choices>(
  command: Command,
  io: Io,
  outcome: Outcome,
  needs: Needs,
  load: () => Promise<Work<Usage, O, C>>,
): Promise<void> {
  const opened: Context[] = [];
  const { run, missing } = makeRun<Usage, O, C>(io, command, needs, opened);
  const begin = async () => {
    const work = await load();
    await work.check?.(run);
    if (missing.length > 0)
      await (await import('./picker.js')).pickMissingArguments(run, missing, needs.importsToChoose);
    return work.run(run);
  };
  try {
    const working = begin();
    const handlesStop = needs.stopsItself ?? needs.schema !== 'any';
    const result = await (handlesStop ? working : Promise.race([working, interruption(io.signal)]));
    if (result.write) await result.write();
    else if (run.options.json && result.json) await run.emit(JSON.stringify(result.json, null, 2));
    else if (!run.options.json && result.text !== undefined && result.text !== '')
      await (result.painted ? writeLine(io.stdout, result.text) : run.emit(result.text));
    outcome.exitCode = result.exitCode ?? exitCodes.ok;
  } catch (error) {
    outcome.exitCode = await report(error, command, io, run.options, opened.at(-1));
  } finally {
    for (const context of opened) {
      // The service has a promoter.
      if (needs.schema === 'current') await finishPromotion(context, run, io);
      await context.close();
    }
  }
}
