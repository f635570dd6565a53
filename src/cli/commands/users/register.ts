import path from 'node:path';
import { AppError } from '../../../errors.js';
import { type AccountInputField, inputFields } from '../../../schemas/account-fields.js';
import { newPersonSchema, registerSchema } from '../../../schemas/user.js';
import { createPerson, registerUser, registerWithGeneratedPassword } from '../../../services/accounts/create-user.js';
import { PasswordFile } from '../../../services/accounts/password-file.js';
import { operator } from '../../../services/core.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { whenMailsLeave } from '../../core/bulk/mail-hint.js';
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
function assertOnlyInvited({ options }: RegisterRun): void {
  const { invite, message, passwordStdin, credentials, generatePassword, inactive } = options;
  if (!invite && message !== undefined) throw new AppError('USAGE', '--message is for invitations: add --invite.');
  const other = Object.entries({
    '--password-stdin': passwordStdin,
    '--generate-password': generatePassword,
    '--credentials': credentials !== undefined,
    // The invitation would wait unnoticed until somebody activates the account.
    '--inactive': inactive,
  }).find(([, isGiven]) => isGiven);
  if (invite && other) throw new AppError('USAGE', `--invite and ${other[0]} cannot be used together.`);
}

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

/** Creates one account. @throws AppError `USAGE`, and the errors of {@link registerUser} */
export async function registerAccount(run: RegisterRun): Promise<Result> {
  assertOnlyInvited(run);
  assertOnePassword(run);
  assertMayBeInactive(run);
  if (run.options.invite) assertMailSetUp(await run.context());
  const input = await registerInput(run);
  if (run.options.invite) return registerInvited(run, input);
  if (isGenerated(run)) return registerGenerated(run, input);
  const user = await registerUser(await run.context(), operator, input);
  return { json: { user: accountJson(user) }, text: `Created ${user.role} ${user.email} (${user.id}).` };
}

/** Creates the account without a password, and mails an invitation. */
async function registerInvited(run: RegisterRun, input: object): Promise<Result> {
  const { message } = run.options;
  const context = await run.context();
  const { user } = await createPerson(context, operator, { ...input, credentials: 'invite', message });
  const leave = await whenMailsLeave(run.io, context);
  const text = `Created ${user.role} ${user.email} (${user.id}). The invitation is queued. ${leave}`;
  return { json: { user: accountJson(user) }, text };
}

/** Creates the account with a generated password, which is written to a file or shown once. */
async function registerGenerated(run: RegisterRun, input: object): Promise<Result> {
  const { credentials } = run.options;
  const context = await run.context();
  const file = credentials === undefined ? undefined : await PasswordFile.create(path.resolve(run.io.cwd, credentials));
  try {
    const savePassword = file && ((...kept: Parameters<typeof file.save>) => file.save(...kept));
    const { user, initialPassword } = await registerWithGeneratedPassword(context, operator, input, savePassword);
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

/** Fields of this command only. Excludes `isActive`: an account is active without `--inactive`. */
const furtherFields = inputFields('register').filter(
  (name): name is FurtherField => name !== 'isActive' && !personFields.some((one) => one === name),
);

function schemaFor(run: RegisterRun) {
  if (run.options.invite) return newPersonSchema;
  return isGenerated(run) ? registerSchema.fork(['password'], (field) => field.optional()) : registerSchema;
}

async function registerInput(run: RegisterRun): Promise<object> {
  const { role, inactive, invite, message } = run.options;
  const invited = invite ? { credentials: 'invite', message } : {};
  const further = { ...givenBy(run.options, furtherFields), ...invited };
  const isActive = !inactive;
  const schema = schemaFor(run);
  if (!run.interactive) return personFromOptions(run, schema, { ...further, isActive });
  await checkPersonOptions(run, schema, further);
  // Opens the database first: without a database, all answers would be lost.
  const { config } = await run.context();
  return personFromPrompts(run, invite || isGenerated(run) ? undefined : config, async (prompts) => ({
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
