import path from 'node:path';
import { AppError } from '../../../errors.js';
import { type AccountInputField, inputFields } from '../../../schemas/account-fields.js';
import { registerSchema } from '../../../schemas/user.js';
import { registerUser, registerWithGeneratedPassword } from '../../../services/accounts/commands.js';
import { PasswordFile } from '../../../services/accounts/password-file.js';
import { operator } from '../../../services/core.js';
import type { Result, Run } from '../../core/command/run.js';
import { passwordNotInJson, type registerOptions } from './options.js';
import { accountJson } from './output.js';
import {
  checkPersonOptions,
  givenBy,
  type PersonField,
  personFields,
  personFromOptions,
  personFromPrompts,
} from './person-input.js';

type RegisterRun = Run<'', typeof registerOptions>;

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

/** Creates one account. @throws AppError `USAGE`, and as {@link registerUser} */
export async function registerAccount(run: RegisterRun): Promise<Result> {
  assertOnePassword(run);
  assertMayBeInactive(run);
  const input = await registerInput(run);
  if (isGenerated(run)) return registerGenerated(run, input);
  const user = await registerUser(await run.context(), operator, input);
  return { json: { user: accountJson(user) }, text: `Created ${user.role} ${user.email} (${user.id}).` };
}

/** Creates the account with a generated password, which is in a file or shown once. */
async function registerGenerated(run: RegisterRun, input: object): Promise<Result> {
  const { credentials } = run.options;
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

type FurtherField = Exclude<AccountInputField<'register'>, PersonField | 'isActive'>;

/** The fields that only this command takes. An account is active unless `--inactive` says otherwise. */
const furtherFields = inputFields('register').filter(
  (name): name is FurtherField => name !== 'isActive' && !personFields.some((one) => one === name),
);

async function registerInput(run: RegisterRun): Promise<object> {
  const { role, inactive } = run.options;
  const further = givenBy(run.options, furtherFields);
  const isActive = !inactive;
  const schema = isGenerated(run) ? registerSchema.fork(['password'], (field) => field.optional()) : registerSchema;
  if (!run.interactive) return personFromOptions(run, schema, { ...further, isActive });
  await checkPersonOptions(run, schema, further);
  // Where there is no database, all answers would be lost.
  const { config } = await run.context();
  return personFromPrompts(run, isGenerated(run) ? undefined : config, async (prompts) => ({
    ...further,
    isActive,
    role:
      role ??
      (await prompts.choose('Role', [
        { value: 'trainee', name: 'Trainee' },
        { value: 'trainer', name: 'Trainer' },
      ])),
  }));
}
