import type Joi from 'joi';
import { isAppError, validationError } from '../../../errors.js';
import { accountFields, inputFields, requiredFields } from '../../../schemas/account-fields.js';
import * as fields from '../../../schemas/fields.js';
import { refuse } from '../../../schemas/problems.js';
import { validate } from '../../../schemas/validate.js';
import { type PasswordRules, passwordPolicy } from '../../../services/auth/password-policy.js';
import { describePhoneProblem } from '../../../services/imports/read/rows/phone-warnings.js';
import { confirm } from '../../core/bulk/confirm.js';
import type { Run } from '../../core/command/run.js';
import { readPassword } from '../../core/prompts/input.js';
import { createPrompts, type Prompts } from '../../core/prompts/prompts.js';
import type { passwordOption, personOptions } from './options.js';

/** Fields that have an option for every account. The super admin is always active, so that `isActive` is excluded. */
export const personFields = inputFields('setup').filter((name) => name !== 'isActive');
export type PersonField = (typeof personFields)[number];

const askedFields = requiredFields('setup');
type AskedField = (typeof askedFields)[number];

const questions: Readonly<Record<AskedField, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
};

/** Returns the fields from the options of the same names. Doesn't compile if an option is missing. */
export const givenBy = <Given extends object, Field extends keyof Given & string>(
  options: Given,
  names: readonly Field[],
): Pick<Given, Field> =>
  // The type of Object.fromEntries() loses the keys.
  Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<Given, Field>;

type PersonRun = Run<'', typeof personOptions & typeof passwordOption>;

/**
 * Returns a person from options and standard input, for scripts.
 * @param more additional fields, which not every person has
 * @throws AppError `VALIDATION` with all missing or wrong fields, including the password
 */
export async function personFromOptions(run: PersonRun, schema: Joi.ObjectSchema, more: object = {}): Promise<object> {
  const { phone, passwordStdin } = run.options;
  const password = passwordStdin ? await readPassword(run.io) : undefined;
  await confirmPhone(run, phone, 'Nothing was created.');
  try {
    return validate<object>(schema, { ...givenBy(run.options, personFields), ...more, password });
  } catch (error) {
    if (passwordStdin || !isAppError(error, 'VALIDATION')) throw error;
    const howToGive = 'Password is required. Pipe it in, with --password-stdin.';
    throw validationError(
      error.details.map((problem) => (problem.path === 'password' ? { ...problem, message: howToGive } : problem)),
    );
  }
}

/**
 * Checks the options before the user answers questions about the other fields.
 * @throws AppError `VALIDATION`; `USAGE` for a password from standard input, which is needed for the answers
 */
export async function checkPersonOptions(run: PersonRun, schema: Joi.ObjectSchema, more: object = {}): Promise<void> {
  if (run.options.passwordStdin) await readPassword(run.io);
  const allOptional = schema.fork(Object.keys(schema.describe().keys), (field) => field.optional());
  validate(allOptional, { ...givenBy(run.options, personFields), ...more });
}

/** Returns a phone with a usual format, or a phone that the user confirmed. @param given phone of the option */
async function askPhone(prompts: Prompts, given: string | undefined): Promise<string> {
  for (let phone = given; ; phone = undefined) {
    phone ??= await prompts.text(questions.phone, fields.phone);
    const doubt = describePhoneProblem(phone);
    if (doubt === undefined || (await prompts.confirm(`${doubt} Use it anyway?`, false))) return phone;
  }
}

async function askField(prompts: Prompts, name: AskedField, given: string | undefined): Promise<string> {
  if (name === 'phone') return askPhone(prompts, given);
  return given ?? prompts.text(questions[name], accountFields[name].schema());
}

/**
 * Asks for confirmation of a phone in an unusual format. Scripts get only a warning, because the API accepts any text.
 * @throws AppError `DECLINED` for a no
 */
export async function confirmPhone(run: Run, phone: string | undefined, otherwise: string): Promise<void> {
  // Asks nothing about a phone with @: the schema refuses it.
  if (phone === undefined || fields.hasAtSign(phone)) return;
  const doubt = describePhoneProblem(phone);
  if (doubt === undefined) return;
  if (run.interactive) await confirm(run, { question: `${doubt} Use it anyway?`, otherwise });
  else run.say(doubt);
}

/**
 * Returns a person from options and answers at the terminal.
 * @param rules of passwords; undefined if no password is asked for
 * @param askMore asks for additional fields
 */
export async function personFromPrompts(
  run: PersonRun,
  rules: PasswordRules | undefined,
  askMore: (prompts: Prompts) => Promise<object> = async () => ({}),
): Promise<object> {
  const prompts = await createPrompts(run.io);
  const answers: Partial<Record<AskedField, string>> = {};
  for (const name of askedFields) answers[name] = await askField(prompts, name, run.options[name]);
  const person = { ...givenBy(run.options, personFields), ...answers, ...(await askMore(prompts)) };
  if (rules === undefined) return person;
  const policy = await passwordPolicy(rules);
  const allowed = fields.password.custom((value: string, helpers) => {
    const problem = policy('Password', value, person);
    return problem ? refuse(helpers, problem) : value;
  });
  return { ...person, password: await prompts.newPassword('Password', allowed) };
}
