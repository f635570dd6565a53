import { AppError, isAppError } from '../../../errors.js';
import { inputFields } from '../../../schemas/account-fields.js';
import * as fields from '../../../schemas/fields.js';
import { userUpdateSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { deleteUser } from '../../../services/accounts/delete-user.js';
import { findUser } from '../../../services/accounts/queries.js';
import { previewTransfer, transferSuperAdmin } from '../../../services/accounts/transfer.js';
import { updateUser } from '../../../services/accounts/update-user.js';
import { operator } from '../../../services/core.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted } from '../../core/output/output.js';
import { createPrompts } from '../../core/prompts/prompts.js';
import { changeOptions, type editOptions } from './options.js';
import { accountJson } from './output.js';
import { confirmPhone, givenBy } from './person-input.js';

type EditRun = Run<'<user>', typeof editOptions>;

const changesOf = ({ options }: EditRun) => givenBy(options, [...inputFields('update'), 'verify']);

const anOption = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** @throws AppError `USAGE` without changes, `VALIDATION` */
export function checkEdit(run: EditRun): void {
  const input = changesOf(run);
  if (Object.values(input).every((value) => value === undefined))
    throw new AppError(
      'USAGE',
      `Nothing to change: add ${anOption.format(Object.keys(changeOptions).map((flags) => flags.replace(/ .*/, '')))}.`,
    );
  validate(userUpdateSchema, input);
}

/** Changes the given fields of an account. @throws AppError `NOT_FOUND`, `DECLINED`, and the errors of {@link updateUser} */
export async function edit(run: EditRun): Promise<Result> {
  const input = changesOf(run);
  const context = await run.context();
  const { id } = await findUser(context, run.arguments.user);
  await confirmPhone(run, input.phone, 'Nothing was changed.');
  const user = await updateUser(context, operator, id, input);
  const linkSent = input.verify
    ? ` The email changes when somebody opens the link that is mailed to ${input.email}.`
    : '';
  return { json: { user: accountJson(user) }, text: `Changed ${user.role} ${user.email} (${user.id}).${linkSent}` };
}

/** Deletes an account after a confirmation. @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link deleteUser} */
export async function remove(run: Run<'<user>', typeof yesOption>): Promise<Result> {
  const context = await run.context();
  const user = await findUser(context, run.arguments.user);
  assertCanAsk(run, 'delete');
  if (!run.options.yes) {
    const { pagination } = await listEnrollments(context, operator, { userId: user.id, limit: 1 });
    const loss = counted(pagination.totalItems, 'enrollment');
    await confirm(run, {
      about: `${user.role} ${user.email} (${user.id}) will be deleted with ${loss}.`,
      question: 'Delete this account?',
      otherwise: 'Nothing was deleted.',
    });
  }
  await deleteUser(context, operator, user.id);
  return { json: { user: accountJson(user) }, text: `Deleted ${user.role} ${user.email} (${user.id}).` };
}

/**
 * Makes another account the super admin, after two confirmations.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link transferSuperAdmin}
 */
export async function transfer(run: Run<'<user>'>): Promise<Result> {
  const context = await run.context();
  const { from, to } = await previewTransfer(context, (await findUser(context, run.arguments.user)).id);
  if (!run.interactive)
    throw new AppError('USAGE', 'The super admin can be changed only at a terminal, because the command asks twice.');
  const otherwise = 'Nothing was changed.';
  await confirm(run, {
    about: `${to.email} (${to.firstName} ${to.lastName}, ${to.role}) will be the super admin.\n${from.email} will be a trainer. The sessions of both end.`,
    question: 'Change the super admin?',
    otherwise,
  });
  await confirmByTyping(run, to.email, otherwise);
  await transferSuperAdmin(context, operator, { from: from.id, to: to.id });
  return {
    text: `${to.email} is the super admin now; ${from.email} is a trainer. Both must sign in again.`,
  };
}

/**
 * Asks the user to type the address, which can't happen by accident.
 * @throws AppError `INTERRUPTED` without the correct address
 */
async function confirmByTyping(run: Run<'<user>'>, email: string, otherwise: string): Promise<void> {
  const prompts = await createPrompts(run.io);
  const same = fields.email.custom((typed: string, helpers) =>
    typed === email ? typed : helpers.message({ custom: `That is not ${email}. Press Ctrl-C to change nothing.` }),
  );
  try {
    await prompts.text('To confirm, type the email address of the new super admin:', same);
  } catch (error) {
    throw isAppError(error, 'INTERRUPTED') ? new AppError('INTERRUPTED', otherwise, { cause: error }) : error;
  }
}
