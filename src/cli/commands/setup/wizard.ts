import type { Context } from '../../../context.js';
import { AppError, isAppError } from '../../../errors.js';
import { presentSetupUser } from '../../../presenters/user.js';
import { setupSchema } from '../../../schemas/auth.js';
import { completeSetupAtTerminal, setupStatus } from '../../../services/accounts/setup.js';
import { confirm } from '../../core/confirm.js';
import { tellingOfWait } from '../../core/migration-wait.js';
import { asTyped, counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { checkPersonOptions, personFromOptions, personFromPrompts } from '../users/person-input.js';
import { chooseDatabase } from './choose-database.js';
import type { setupOptions } from './options.js';

/** Each step first checks whether it is done already, so that an interrupted setup can be run again. */
export async function setup(run: Run<'', typeof setupOptions>): Promise<Result> {
  if (run.interactive) {
    await checkPersonOptions(run, setupSchema);
    await chooseDatabase(run);
  }
  const context = await run.context();
  run.say(`1. Database: connected to ${await context.schema.serverVersion()}.`);
  const superAdminMissing = await isSuperAdminMissing(context);
  // Without a terminal to correct them, invalid options are refused before anything is written.
  const given = superAdminMissing && !run.interactive ? await personFromOptions(run, setupSchema) : undefined;
  const applied = await bringUpToDate(run, context);
  if (!superAdminMissing) {
    run.say('3. Super admin: exists.');
    return {
      json: { migrationsApplied: applied, superAdmin: 'existing' },
      text: `The system is set up. Start it with: ${asTyped(run.io, 'serve')}`,
    };
  }
  const user = await completeSetupAtTerminal(context, given ?? (await askForSuperAdmin(run)));
  run.say(`3. Super admin: created (${user.email}).`);
  const [serve, users] = [asTyped(run.io, 'serve'), asTyped(run.io, 'users import <file.csv>')];
  return {
    json: { migrationsApplied: applied, superAdmin: 'created', user: presentSetupUser(user) },
    text: `The system is set up.\nNext:\n  ${serve.padEnd(users.length)}    start the service\n  ${users}    import accounts`,
  };
}

/** Without tables there is no super admin. */
async function isSuperAdminMissing(context: Context): Promise<boolean> {
  try {
    return (await setupStatus(context)).setupRequired;
  } catch (error) {
    if (isAppError(error, 'SCHEMA_OUTDATED')) return true;
    throw error;
  }
}

async function askForSuperAdmin(run: Run<'', typeof setupOptions>): Promise<object> {
  run.say('Who is the super admin?');
  return personFromPrompts(run);
}

async function bringUpToDate(run: Run<'', typeof setupOptions>, context: Context): Promise<string[]> {
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
      otherwise: `Nothing was changed. Run "${asTyped(run.io, 'setup')}" again when you are ready.`,
      initial: true,
    });
  }
  const applied = await context.schema.up(tellingOfWait(run));
  run.say(`2. Tables: ${counted(applied.length, 'migration')} applied.`);
  return applied;
}
