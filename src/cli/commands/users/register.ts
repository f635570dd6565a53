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

/** Way in which the new person gets access. */
type Access = 'invitation' | 'none' | 'generated password' | 'given password';

async function accessOf({ options, config }: RegisterRun): Promise<Access> {
  const { invite, password, generatePassword, credentials, passwordStdin, role } = options;
  if (invite) return 'invitation';
  if (password === false) return 'none';
  if (generatePassword || credentials !== undefined) return 'generated password';
  if (passwordStdin || role === 'super_admin') return 'given password';
  return (await config()).auth.passwordLogin ? 'given password' : 'none';
}

/** @throws AppError `USAGE` */
function assertOneAccess({ options }: RegisterRun): void {
  const { invite, password, message, passwordStdin, credentials, generatePassword, inactive } = options;
  if (!invite && message !== undefined) throw new AppError('USAGE', '--message is for invitations: add --invite.');
  const access = [...(invite ? ['--invite'] : []), ...(password === false ? ['--no-password'] : [])];
  if (access.length > 1) throw new AppError('USAGE', '--invite and --no-password cannot be used together.');
  const other = Object.entries({
    '--password-stdin': passwordStdin,
    '--generate-password': generatePassword,
    '--credentials': credentials !== undefined,
    // The invitation would wait unnoticed until somebody activates the account.
    '--inactive': inactive,
  }).find(([, isGiven]) => isGiven);
  if (access[0] !== undefined && other)
    throw new AppError('USAGE', `${access[0]} and ${other[0]} cannot be used together.`);
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
function assertMayBeInactive({ options: { role, inactive } }: RegisterRun, access: Access): void {
  if (access === 'none' && inactive)
    throw new AppError('USAGE', 'A person without a password is always active: leave out --inactive.');
  if (role === 'super_admin' && inactive)
    throw new AppError('USAGE', 'A super admin is always active: leave out --inactive.');
}

/** Creates one account. @throws AppError `USAGE`, and the errors of {@link registerUser} */
export async function registerAccount(run: RegisterRun): Promise<Result> {
  assertOneAccess(run);
  assertOnePassword(run);
  const access = await accessOf(run);
  assertMayBeInactive(run, access);
  if (access === 'invitation') assertMailSetUp(await run.context());
  const input = await registerInput(run, access);
  if (access === 'invitation') return registerInvited(run, input);
  if (access === 'none') return registerWithoutPassword(run, input);
  if (access === 'generated password') return registerGenerated(run, input);
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

/** Creates the account without a password, for a person who uses the organisation's sign-in. */
async function registerWithoutPassword(run: RegisterRun, input: object): Promise<Result> {
  const { user } = await createPerson(await run.context(), operator, { ...input, credentials: 'none' });
  const text = `Created ${user.role} ${user.email} (${user.id}), without a password.`;
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

function schemaFor(access: Access) {
  if (access === 'invitation' || access === 'none') return newPersonSchema;
  return access === 'generated password'
    ? registerSchema.fork(['password'], (field) => field.optional())
    : registerSchema;
}

const credentialsOf = (access: Access, message: string | undefined) => {
  if (access === 'invitation') return { credentials: 'invite', message };
  return access === 'none' ? { credentials: 'none' } : {};
};

async function registerInput(run: RegisterRun, access: Access): Promise<object> {
  const { role, inactive, message } = run.options;
  const further = { ...givenBy(run.options, furtherFields), ...credentialsOf(access, message) };
  const isActive = !inactive;
  const schema = schemaFor(access);
  if (!run.interactive) return personFromOptions(run, schema, { ...further, isActive });
  await checkPersonOptions(run, schema, further);
  // Opens the database first: without a database, all answers would be lost.
  const { config } = await run.context();
  return personFromPrompts(run, access === 'given password' ? config : undefined, async (prompts) => ({
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
