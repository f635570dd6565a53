import { randomBytes } from 'node:crypto';
import { type Config, envFile, readSettings } from '../../../config/config.js';
import { AppError } from '../../../errors.js';
import type { Run } from '../../core/command/run.js';
import { createPrompts } from '../../core/prompts/prompts.js';
import type { setupOptions } from './options.js';
import { addSettings } from './settings-file.js';
import type { Change } from './undo.js';

type SetupRun = Run<'', typeof setupOptions>;

function missingSettings(run: SetupRun): Readonly<Record<string, string>> {
  const { values } = readSettings(run.io);
  return {
    ...(values.NODE_ENV === undefined && { NODE_ENV: 'production' }),
    ...(values.JWT_SECRET === undefined && { JWT_SECRET: randomBytes(48).toString('base64url') }),
  };
}

/** Returns the settings after setup. @throws AppError `CONFIG_INVALID` if production would refuse them */
export const configAfterSetup = (run: SetupRun): Promise<Config> =>
  run.config(run.options.production ? missingSettings(run) : {});

async function write(run: SetupRun, changes: Change[]): Promise<string[]> {
  const missing = missingSettings(run);
  const names = Object.keys(missing);
  if (names.length === 0) return [];
  // Existing settings may be unfit for production, such as a weak secret.
  await run.config(missing);
  const file = envFile(run.io);
  changes.push(await addSettings(file, missing));
  run.say(`Saved ${names.join(' and ')} in ${file}.`);
  return names;
}

/**
 * @throws AppError `USAGE` if `--production` contradicts the settings; `CONFIG_INVALID` if production would refuse the
 *   settings
 */
export async function assertProductionPossible(run: SetupRun): Promise<void> {
  if (!run.options.production) return;
  const { values, origins } = readSettings(run.io);
  const { NODE_ENV: environment } = values;
  if (environment === undefined || environment === 'production') {
    await configAfterSetup(run);
    return;
  }
  const where = origins.NODE_ENV === '.env' ? envFile(run.io) : 'the environment';
  throw new AppError('USAGE', `NODE_ENV is ${environment} in ${where}. Remove it there, or leave out --production.`);
}

/**
 * Writes a missing secret of production, after a confirmation or with `--production`. Nothing works without the secret.
 * @returns the names of the written settings
 * @throws the errors of {@link offerProduction}
 */
export async function provideSecret(run: SetupRun, changes: Change[]): Promise<string[]> {
  const { values } = readSettings(run.io);
  if (values.NODE_ENV !== 'production' || values.JWT_SECRET !== undefined) return [];
  if (!run.options.production) {
    if (!run.interactive) return [];
    const prompts = await createPrompts(run.io);
    const question = 'NODE_ENV is production, which needs a JWT_SECRET. Write a new one to .env?';
    // After a no, loading the configuration fails with a remedy.
    if (!(await prompts.confirm(question, true))) return [];
  }
  return write(run, changes);
}

/**
 * Writes the missing settings of production to `.env`, with `--production` or if the user chooses so.
 * @returns the names of the written settings
 * @throws AppError `INTERRUPTED`, `CONFIG_INVALID`, `FILE_UNUSABLE`
 */
export async function offerProduction(run: SetupRun, changes: Change[]): Promise<string[]> {
  if (run.options.production) return write(run, changes);
  if (!run.interactive || readSettings(run.io).values.NODE_ENV !== undefined) return [];
  const prompts = await createPrompts(run.io);
  const purpose = await prompts.choose('What is this system for?', [
    { value: 'development', name: 'To try it out' },
    {
      value: 'production',
      name: 'For real use: write NODE_ENV=production and a new JWT_SECRET to .env',
      short: 'For real use',
    },
  ]);
  return purpose === 'production' ? write(run, changes) : [];
}
