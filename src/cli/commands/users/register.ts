import path from 'node:path';
import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import type { Result, Run } from '../../core/run.js';
import { passwordNotInJson, passwordOption, personOptions } from './options.js';

const registerOptions = {
  ...personOptions,
  '--role <role>': 'trainee, trainer or super_admin',
  '--inactive': "create an account that can't sign in until it is activated",
  ...passwordOption,
  '--requires-password-change': 'the password must be changed at the first login, as a generated one must',
  '--generate-password': 'generate a password and show it once; it must be changed at the first login',
  '--credentials <file>': 'write the generated password to this file, which must not exist, instead of showing it',
};

type RegisterRun = Run<'', typeof registerOptions>;

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'register',
    schema: 'current',
    summary: 'Create one account; asks for what is not given',
    examples: [
      'users register',
      'users register --first-name Grace --last-name Hopper --email grace@example.org --phone "555 0101" --role trainer --password-stdin < password.txt',
      'users register --role trainee --credentials grace.credentials.csv',
    ],
    options: registerOptions,
    stopsItself: true,
    run: registerAccount,
  });
}

const isGenerated = ({ options }: RegisterRun) =>
  options.generatePassword === true || options.credentials !== undefined;

/** @throws AppError `USAGE` */
function assertOnePassword({ options }: RegisterRun): void {
  const { passwordStdin, credentials, generatePassword, json } = options;
  if (passwordStdin && (generatePassword || credentials !== undefined))
    throw new AppError(
      'USAGE',
      `--password-stdin and ${credentials === undefined ? '--generate-password' : '--credentials'} cannot be used together.`,
    );
  if (json && generatePassword && credentials === undefined) throw passwordNotInJson();
}

/** @throws AppError `USAGE` */
function assertMayBeInactive({ options: { role, inactive } }: RegisterRun): void {
  if (role === 'super_admin' && inactive)
    throw new AppError('USAGE', 'A super admin is always active: leave out --inactive.');
}

async function registerAccount(run: RegisterRun): Promise<Result> {
  assertOnePassword(run);
  assertMayBeInactive(run);
  const input = await registerInput(run);
  if (isGenerated(run)) return registerGenerated(run, input);
  const [{ registerUser }, { operator }, { accountJson }] = await Promise.all([
    import('../../../services/accounts/commands.js'),
    import('../../../services/core.js'),
    import('./output.js'),
  ]);
  const user = await registerUser(await run.context(), operator, input);
  return { json: { user: accountJson(user) }, text: `Created ${user.role} ${user.email} (${user.id}).` };
}

/** Creates the account with a generated password, which is in a file or shown once. */
async function registerGenerated(run: RegisterRun, input: object): Promise<Result> {
  const { credentials } = run.options;
  const [{ registerWithGeneratedPassword }, { PasswordFile }, { operator }, { accountJson }] = await Promise.all([
    import('../../../services/accounts/commands.js'),
    import('../../../services/accounts/password-file.js'),
    import('../../../services/core.js'),
    import('./output.js'),
  ]);
  const context = await run.context();
  const file = credentials === undefined ? undefined : await PasswordFile.create(path.resolve(run.io.cwd, credentials));
  try {
    const keep = file && ((...kept: Parameters<typeof file.keep>) => file.keep(...kept));
    const { user, initialPassword } = await registerWithGeneratedPassword(context, operator, input, keep);
    const created = `Created ${user.role} ${user.email} (${user.id}).`;
    if (file)
      return {
        json: { user: accountJson(user), credentialsFile: file.path },
        text: `${created}\nThe initial password is in ${file.path} (hand it out, then delete the file).`,
      };
    run.say(`${created}\nThe initial password of ${user.email}, shown only this once:`);
    return { text: initialPassword };
  } finally {
    await file?.close();
  }
}

async function registerInput(run: RegisterRun): Promise<object> {
  const { role, inactive, requiresPasswordChange } = run.options;
  const flags = { isActive: !inactive, requiresPasswordChange };
  const [{ checkPersonOptions, personFromOptions, personFromPrompts }, { registerSchema }] = await Promise.all([
    import('./person-input.js'),
    import('../../../schemas/user.js'),
  ]);
  const schema = isGenerated(run) ? registerSchema.fork(['password'], (field) => field.optional()) : registerSchema;
  if (!run.interactive) return personFromOptions(run, schema, { role, ...flags });
  await checkPersonOptions(run, schema, { role });
  // Where there is no database, all answers would be lost.
  const { config } = await run.context();
  return personFromPrompts(run, isGenerated(run) ? undefined : config, async (prompts) => ({
    ...flags,
    role:
      role ??
      (await prompts.choose('Role', [
        { value: 'trainee', name: 'Trainee' },
        { value: 'trainer', name: 'Trainer' },
      ])),
  }));
}
