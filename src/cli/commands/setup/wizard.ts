import { databaseUrlForDisplay } from '../../../config/database-url.js';
import { AppError, isAppError } from '../../../errors.js';
import { presentSetupUser } from '../../../presenters/user.js';
import { setupSchema } from '../../../schemas/auth.js';
import { assertSuperAdminValid, completeSetupAtTerminal, setupStatus } from '../../../services/accounts/setup.js';
import type { Context } from '../../../services/context.js';
import { assertNoUnfinishedRestore } from '../../../services/maintenance/backup/database-file.js';
import { confirm } from '../../core/bulk/confirm.js';
import { migrationProgress } from '../../core/bulk/progress.js';
import type { Result, Run } from '../../core/command/run.js';
import { asTyped, counted } from '../../core/output/output.js';
import { runningService } from '../../core/running-service.js';
import { checkPersonOptions, personFields, personFromOptions, personFromPrompts } from '../users/person-input.js';
import { chooseDatabase } from './choose-database.js';
import type { setupOptions } from './options.js';
import { assertProductionPossible, configAfterSetup, offerProduction, provideSecret } from './production.js';
import { type Change, createFile, undoAll } from './undo.js';

type SetupRun = Run<'', typeof setupOptions>;

/**
 * Runs all steps of setup. Each step checks first whether it is done, so that an interrupted setup can be run again. A
 * declined setup, or one with invalid options, undoes its changes.
 * @throws AppError `DECLINED` for a no, `INTERRUPTED` for a question without an answer
 */
export async function setup(run: SetupRun): Promise<Result> {
  const changes: Change[] = [];
  try {
    return await steps(run, changes);
  } catch (error) {
    if (!isAppError(error, 'DECLINED', 'INTERRUPTED', 'USAGE', 'VALIDATION', 'CONFIG_INVALID')) throw error;
    const undone = await undoAll(changes);
    if (!run.interactive || !isAppError(error, 'DECLINED', 'INTERRUPTED')) throw error;
    const message = undone.length === 0 ? 'Nothing was changed.' : 'Setup was not finished.';
    const again = 'Run "coursectl setup" again when you are ready.';
    throw new AppError(error.code, [`${message} ${again}`, ...undone].join('\n  '), { cause: error });
  }
}

async function steps(run: SetupRun, changes: Change[]): Promise<Result> {
  await assertProductionPossible(run);
  if (run.interactive) await checkPersonOptions(run, setupSchema);
  const settingsWritten = await provideSecret(run, changes);
  const isDatabaseNew = run.interactive && (await chooseDatabase(run, changes));
  const { context, isNewFile } = await openDatabase(run, changes);
  run.say(`1. Database: connected to ${await context.schema.serverVersion()}.`);
  const superAdminMissing = await isSuperAdminMissing(context);
  // Nobody can correct invalid options without a terminal: refuses them before any change.
  const given = superAdminMissing && !run.interactive ? await superAdminFromOptions(run) : undefined;
  const applied = await bringUpToDate(run, context);
  // Tables in a new file are removed with the file.
  if (applied.length > 0 && !isNewFile)
    changes.push({ description: `the tables in ${databaseUrlForDisplay(context.config.database)}` });
  return superAdminMissing
    ? createSuperAdmin(run, context, { given, applied, changes, settingsWritten, isDatabaseNew })
    : keepSuperAdmin(run, { applied, changes, settingsWritten, isDatabaseNew });
}

interface CompletedSteps {
  applied: readonly string[];
  changes: Change[];
  /** Names of the written settings. */
  settingsWritten: readonly string[];
  /** Whether DATABASE_URL was written, too. */
  isDatabaseNew: boolean;
}

/** Returns a sentence about a running service, which needs a restart for new settings; undefined without a service. */
async function runningText(run: SetupRun, isEnvChanged: boolean): Promise<string | undefined> {
  const url = await runningService(await run.config());
  if (url === undefined) return undefined;
  return isEnvChanged
    ? `Restart the service at ${url}: it has the settings of its start.`
    : `The service is running at ${url}.`;
}

async function keepSuperAdmin(
  run: SetupRun,
  { applied, changes, settingsWritten: before, isDatabaseNew }: CompletedSteps,
): Promise<Result> {
  run.say('3. Super admin: exists.');
  const ignored = personOptionsOf(run);
  if (ignored.length > 0)
    run.say(
      `Not used, because the super admin exists: ${ignored.join(', ')}. To change an account: ${asTyped(run.io, 'users edit')}`,
    );
  const settingsWritten = run.options.production ? [...before, ...(await offerProduction(run, changes))] : before;
  const running = await runningText(run, isDatabaseNew || settingsWritten.length > 0);
  return {
    json: {
      migrationsApplied: applied,
      superAdmin: 'existing',
      ...(ignored.length > 0 && { optionsNotUsed: ignored }),
      ...(settingsWritten.length > 0 && { settingsWritten }),
    },
    text: [
      `The system is set up. ${running ?? `Start it with: ${asTyped(run.io, 'serve')}`}`,
      ...(settingsWritten.length > 0
        ? [`Check what production needs with: ${asTyped(run.io, 'doctor --production')}`]
        : []),
    ].join('\n'),
  };
}

/** Returns the options on the command line that describe the super admin. */
function personOptionsOf({ options }: SetupRun): string[] {
  const { passwordStdin } = options;
  const given = personFields.filter((name) => options[name] !== undefined);
  const names = given.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  return passwordStdin ? [...names, '--password-stdin'] : names;
}

async function createSuperAdmin(
  run: SetupRun,
  context: Context,
  { given, applied, changes, settingsWritten: before, isDatabaseNew }: CompletedSteps & { given: object | undefined },
): Promise<Result> {
  const settingsWritten = [...before, ...(await offerProduction(run, changes))];
  const user = await completeSetupAtTerminal(context, given ?? (await askForSuperAdmin(run)));
  run.say(`3. Super admin: created (${user.email}).`);
  const running = await runningText(run, isDatabaseNew || settingsWritten.length > 0);
  const next = [
    ...(running === undefined ? [[asTyped(run.io, 'serve'), 'start the service']] : []),
    [asTyped(run.io, 'users import <file>'), 'import accounts'],
    ...(settingsWritten.length > 0 ? [[asTyped(run.io, 'doctor --production'), 'check what production needs']] : []),
  ] as const;
  const width = Math.max(...next.map(([command = '']) => command.length));
  const lines = next.map(([command = '', what]) => `  ${command.padEnd(width)}    ${what}`);
  return {
    json: {
      migrationsApplied: applied,
      superAdmin: 'created',
      user: presentSetupUser(user),
      ...(settingsWritten.length > 0 && { settingsWritten }),
    },
    text: [`The system is set up.${running === undefined ? '' : ` ${running}`}`, 'Next:', ...lines].join('\n'),
  };
}

/** Opens the database. Creates the file of an SQLite database. */
async function openDatabase(run: SetupRun, changes: Change[]): Promise<{ context: Context; isNewFile: boolean }> {
  const config = await run.config();
  await assertNoUnfinishedRestore(config);
  const { database } = config;
  const removeFolders = database.dialect === 'sqlite' ? await createFile(database.file) : undefined;
  const context = await run.context();
  if (database.dialect !== 'sqlite' || !removeFolders) return { context, isNewFile: false };
  changes.push({
    description: `the database file ${database.file}`,
    async undo() {
      await context.close();
      // The file stays if a service has opened the database since, or if somebody has registered.
      if (!(await context.schema.removeUnusedFile())) return false;
      await removeFolders();
      return true;
    },
  });
  return { context, isNewFile: true };
}

async function superAdminFromOptions(run: SetupRun): Promise<object> {
  const given = await personFromOptions(run, setupSchema);
  await assertSuperAdminValid(await configAfterSetup(run), given);
  return given;
}

/** Whether the super admin is missing, such as in a database without tables. */
async function isSuperAdminMissing(context: Context): Promise<boolean> {
  try {
    return (await setupStatus(context)).setupRequired;
  } catch (error) {
    if (isAppError(error, 'SCHEMA_OUTDATED')) return true;
    throw error;
  }
}

async function askForSuperAdmin(run: SetupRun): Promise<object> {
  run.say('Who is the super admin?');
  return personFromPrompts(run, await run.config());
}

async function bringUpToDate(run: SetupRun, context: Context): Promise<string[]> {
  const { pending } = await context.schema.status();
  if (pending.length === 0) {
    await context.schema.assertCurrent();
    run.say('2. Tables: up to date.');
    return [];
  }
  if (!run.options.yes) {
    if (!run.interactive)
      throw new AppError(
        'USAGE',
        `${counted(pending.length, 'migration')} ${pending.length === 1 ? 'is' : 'are'} pending. Add --yes to apply them without being asked.`,
      );
    await confirm(run, {
      question: `Create the tables now (${counted(pending.length, 'migration')})?`,
      otherwise: 'Nothing was changed.',
      initial: true,
    });
  }
  const applied = await context.schema.up(migrationProgress(run));
  run.say(`2. Tables: ${counted(applied.length, 'migration')} applied.`);
  return applied;
}
