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

/** Environment of a running command. The types of arguments and options are derived from the declaration. */
export interface Run<Usage extends string = '', O extends Options = None, C extends Choices = None> {
  io: Io;
  arguments: ArgumentValues<Usage, C>;
  options: OptionValues<O> & CommonOptions;
  /** Colours for text on standard output. */
  paint: ChalkInstance;
  /** Terminal for tables; without a width if standard output is no terminal. */
  display: Display;
  /** Whether the user can answer questions: standard input and error are terminals, and `--json` is absent. */
  interactive: boolean;
  /** Loads the settings. `overrides` are options of the command line, which take precedence over the environment. */
  config(overrides?: Record<string, string | undefined>): Promise<Config>;
  /**
   * Opens the services. They are closed when the command ends.
   * @throws AppError `DATABASE_MISSING` if the file is missing and the command doesn't create it; `SCHEMA_OUTDATED` if
   *   the schema doesn't fit the command
   */
  context(overrides?: Record<string, string | undefined>): Promise<Context>;
  /** Prints a message on standard error; silent with `--quiet` or `--json`. */
  say(text: string, options?: Pick<Result, 'painted'>): void;
  /** Writes a line of data to standard output immediately. */
  emit(line: string): Promise<void>;
}

/** Result of a command, as JSON and as text. */
export interface Result {
  /** Object for `--json`; absent if the command wrote its data itself. */
  json?: object;
  /** Readable output without `--json`. */
  text?: string;
  /** The text contains colour codes and is written unchanged. The command has made the rest {@link printable}. */
  painted?: true;
  /** Writes the output in pieces, instead of `json` and `text`. */
  write?: () => Promise<void>;
  exitCode?: ExitCode;
}

/**
 * Database schema that a command needs. `current`: the schema of this program, for commands that write rows. `not newer`:
 * not the schema of a newer program, for commands that change the schema.
 */
type SchemaNeed = 'current' | 'not newer' | 'any';

/**
 * Handling of a missing SQLite file. By default the command fails, so that a command in the wrong folder creates no
 * database. `restored` is for `restore`, which also runs after an interrupted restore.
 */
type MissingDatabase = 'created' | 'created with --migrate' | 'reported' | 'restored';

export interface Needs {
  /** Checked when the command opens the database. */
  schema: SchemaNeed;
  missingDatabase?: MissingDatabase;
  /** Whether the result lists misspelt settings. Other commands print warnings. */
  reportsSettings?: boolean;
  /**
   * If the command line names no import, the user chooses among imports with these statuses. Imports whose stored rows
   * were deleted are then not offered.
   * Absent: all imports are offered.
   */
  importsToChoose?: readonly ImportStatus[];
  /** Whether the command handles Ctrl-C itself; true by default unless `schema` is `any`. Other commands are aborted. */
  stopsItself?: boolean;
}

export interface Work<Usage extends string, O extends Options, C extends Choices> {
  /**
   * Checks options and arguments before any lookup or question. Missing arguments that the user can choose are still
   * absent.
   */
  check?: (run: Run<Usage, O, C>) => void | Promise<void>;
  run: (run: Run<Usage, O, C>) => Promise<Result>;
}

/** Whether the command line requests JSON by `--output json`. In commands without formats, `json` is the name of a file. */
function isJsonFormat(command: Command): boolean {
  const option = command.options.find(({ long }) => long === '--output');
  return option?.argChoices !== undefined && command.getOptionValue('output') === 'json';
}

export interface Outcome {
  exitCode: ExitCode;
}

/**
 * Fails if the SQLite file is missing, because opening the database would create the file.
 * @param isCreated whether the command creates a missing database
 * @throws AppError `DATABASE_MISSING`
 */
export async function assertDatabaseExists(config: Config, isCreated = false): Promise<void> {
  const { database } = config;
  if (database.dialect !== 'sqlite') return;
  const { stat } = await import('node:fs/promises');
  // Ignores other faults: opening the file reports them in more detail.
  const found = await stat(database.file).catch((error: unknown) => systemErrorCode(error) === 'ENOENT');
  if (found === false || (found !== true && found.size > 0)) return;
  const { assertNoUnfinishedRestore } = await import('../../../services/maintenance/backup/database-file.js');
  await assertNoUnfinishedRestore(config);
  if (isCreated || found !== true) return;
  throw new AppError(
    'DATABASE_MISSING',
    `There is no database at ${database.file}. If that is the wrong folder, change to the correct folder, or set DATABASE_URL or DATA_DIR. To create a database there, run: coursectl setup`,
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
    // Warns before the check of the settings: a misspelt setting may cause a missing one.
    if (!isWarned) for (const warning of settingWarnings(io)) say(`warning: ${warning}`);
    isWarned = true;
    try {
      return loadConfig({ env: { ...io.env, ...overrides }, cwd: io.cwd });
    } catch (error) {
      // An invalid option is a usage error, not a configuration error.
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
    // A silent logger needs no format.
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

/** Rejects with AppError `INTERRUPTED` at Ctrl-C. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const interrupt = () => reject(new AppError('INTERRUPTED'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
}

/** Promotes waiting enrollments to the seats that a command freed. */
async function finishPromotion(context: Context, { say }: Pick<Run, 'say'>, { signal }: Io): Promise<void> {
  const freed = context.freedSeats.take();
  if (freed.length === 0) return;
  const { promoteFreed } = await import('../../../services/waiting-list/promotion.js');
  const isDue = await promoteFreed(context, freed, signal);
  if (isDue) say('Free seats remain for waiting lists: the service assigns them within seconds, or when it starts.');
}

async function report(
  thrown: unknown,
  command: Command,
  io: Io,
  options: CommonOptions,
  context?: Context,
): Promise<ExitCode> {
  const { failure, partialResult } = thrown instanceof PartialFailure ? thrown : { failure: thrown };
  const paint = paintFor(io.stderr, io.env);
  // If the message can't be written, because of a full disk or a closed pipe, the exit code still reports the failure.
  const complain = (text: string) => writeLine(io.stderr, text).catch(() => undefined);
  const verbose = Boolean(options.verbose);
  if (options.json) {
    await writeLine(io.stdout, printable(JSON.stringify({ ...failureJson(io, failure), ...partialResult?.json })));
    // Programs read the object on standard output. The stack goes to standard error, like debug logs.
    if (verbose && failure instanceof Error) await complain(stackText(failure, paint));
  } else {
    const worded = await rewordForTerminal(command, failure, context);
    const message = withCommandLines(io, failureText(worded, paint, verbose));
    const lines = partialResult === undefined ? message : `${message}\n${printable(partialResult.text)}`;
    const broken = lines.split('\n').flatMap((line) => wrapHanging(line, widthOf(io.stderr)));
    if (verbose && worded instanceof Error) broken.splice(message.split('\n').length, 0, stackText(worded, paint));
    await complain(broken.join('\n'));
  }
  return isAppError(failure) ? exitCodeOf(failure.code) : exitCodes.bug;
}

/** Runs a command, prints its result or failure, closes the services, and stores the exit code in `outcome`. */
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
      // Commands that write rows declare `current`. `serve` promotes while it runs, and declares `any`.
      if (needs.schema === 'current') await finishPromotion(context, run, io);
      await context.close();
    }
  }
}
