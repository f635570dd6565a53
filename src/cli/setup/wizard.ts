import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import * as fields from '../../schemas/fields.js';
import { completeSetupAtTerminal, setupStatus } from '../../services/setup.js';
import { readPassword } from '../input.js';
import { createPrompts } from '../prompts.js';
import type { Result, Run } from '../run.js';
import { chooseDatabase } from './choose-database.js';

export interface SetupOptions {
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  passwordStdin?: true;
  yes?: true;
}

/** Each step looks first whether it is done already: a setup that was broken off is taken up by running it again. */
export async function setup(run: Run<SetupOptions>): Promise<Result> {
  if (run.interactive) await chooseDatabase(run);
  const context = await run.context();
  run.say(`1. Database: connected to ${await context.schema.serverVersion()}.`);
  const applied = await bringUpToDate(run, context);
  const { setupRequired } = await setupStatus(context);
  if (!setupRequired) {
    run.say('3. Super admin: there already.');
    return {
      json: { migrationsApplied: applied, superAdmin: 'existing' },
      text: 'The system is set up. Start it with: npx coursectl serve',
    };
  }
  const user = await completeSetupAtTerminal(context, await superAdminInput(run));
  run.say(`3. Super admin: created (${user.email}).`);
  return {
    json: { migrationsApplied: applied, superAdmin: 'created', user: { id: user.id, email: user.email } },
    text: 'The system is set up.\nNext:\n  npx coursectl serve                          start the service\n  npx coursectl users import <file.csv>        bring in your people',
  };
}

async function bringUpToDate(run: Run<SetupOptions>, context: Context): Promise<string[]> {
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
        `${pending.length} migrations are pending. Add --yes to apply them without being asked.`,
      );
    const prompts = await createPrompts(run.io);
    if (!(await prompts.confirm(`Create the tables now (${pending.length} migrations)?`, true))) {
      throw new AppError('INTERRUPTED', 'Nothing was changed. Run "coursectl setup" again when you are ready.');
    }
  }
  const applied = await context.schema.up();
  run.say(`2. Tables: ${applied.length} migrations applied.`);
  return applied;
}

/** The answers, unchecked: the service validates them, whether they came from prompts or options. */
async function superAdminInput(run: Run<SetupOptions>): Promise<object> {
  const { firstName, lastName, email, phone, passwordStdin } = run.options;
  if (!run.interactive) {
    if (!passwordStdin)
      throw new AppError('USAGE', 'Without a terminal the password is piped in: add --password-stdin.');
    return { firstName, lastName, email, phone, password: await readPassword(run.io) };
  }
  run.say('Who is the super admin?');
  const prompts = await createPrompts(run.io);
  return {
    firstName: firstName ?? (await prompts.text('First name', fields.firstName)),
    lastName: lastName ?? (await prompts.text('Last name', fields.lastName)),
    email: email ?? (await prompts.text('Email', fields.email)),
    phone: phone ?? (await prompts.text('Phone', fields.phone)),
    password: passwordStdin ? await readPassword(run.io) : await prompts.newPassword('Password', fields.password),
  };
}
