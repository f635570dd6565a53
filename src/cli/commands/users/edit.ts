import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import { yesOption } from '../../core/declaration.js';
import { counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { personOptions } from './options.js';

const editOptions = {
  ...personOptions,
  '--role <role>': 'trainee or trainer',
};

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'edit <user>',
    schema: 'current',
    summary: 'Change the data of an account; a new email or role ends its sessions',
    examples: [
      'users edit ada@example.org --last-name King',
      'users edit "555 0100" --email ada@example.com --role trainer --json',
    ],
    options: editOptions,
    check: checkEdit,
    stopsItself: true,
    run: edit,
  });

  define(users, registry, {
    usage: 'delete <user>',
    schema: 'current',
    summary: 'Delete an account with its enrollments and its picture',
    examples: ['users delete ada@example.org', 'users delete ada@example.org --yes --json'],
    options: yesOption,
    stopsItself: true,
    run: remove,
  });
}

/** What both commands call. */
async function services() {
  const [admin, found, core, listings, output] = await Promise.all([
    import('../../../services/accounts/commands.js'),
    import('../../../services/accounts/queries.js'),
    import('../../../services/core.js'),
    import('../../../services/enrollments/queries.js'),
    import('./output.js'),
  ]);
  return { ...admin, ...found, ...listings, ...output, operator: core.operator };
}

type EditRun = Run<'<user>', typeof editOptions>;

function changesOf({ options }: EditRun) {
  const { firstName, lastName, email, phone, role } = options;
  return { firstName, lastName, email, phone, role };
}

async function checkEdit(run: EditRun): Promise<void> {
  const input = changesOf(run);
  if (Object.values(input).every((value) => value === undefined))
    throw new AppError('USAGE', 'Nothing to change: add --first-name, --last-name, --email, --phone or --role.');
  const [{ userUpdateSchema }, { validate }] = await Promise.all([
    import('../../../schemas/user.js'),
    import('../../../schemas/validate.js'),
  ]);
  validate(userUpdateSchema, input);
}

async function edit(run: EditRun): Promise<Result> {
  const input = changesOf(run);
  const { updateUser, findUser, accountJson, operator } = await services();
  const context = await run.context();
  const { id } = await findUser(context, run.arguments.user);
  const { confirmPhone } = await import('./person-input.js');
  await confirmPhone(run, input.phone, 'Nothing was changed.');
  const user = await updateUser(context, operator, id, input);
  return { json: { user: accountJson(user) }, text: `Changed ${user.role} ${user.email} (${user.id}).` };
}

async function remove(run: Run<'<user>', typeof yesOption>): Promise<Result> {
  const { assertCanAsk, confirm } = await import('../../core/confirm.js');
  const { deleteUser, findUser, listEnrollments, accountJson, operator } = await services();
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
