import type { Command } from 'commander';
import { AppError, isAppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import type { Result, Run } from '../../core/run.js';

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'transfer-super-admin <user>',
    schema: 'current',
    summary: 'Make another account the super admin; asks twice, and only works at a terminal',
    withoutJson: true,
    examples: ['users transfer-super-admin ada@example.org'],
    notes: 'The former super admin becomes a trainer. The sessions of both end.',
    stopsItself: true,
    run: transfer,
  });
}

async function transfer(run: Run<'<user>'>): Promise<Result> {
  const [{ previewTransfer, transferSuperAdmin }, { findUser }, { operator }, { confirm }] = await Promise.all([
    import('../../../services/accounts/transfer.js'),
    import('../../../services/accounts/queries.js'),
    import('../../../services/core.js'),
    import('../../core/confirm.js'),
  ]);
  const context = await run.context();
  const { from, to } = await previewTransfer(context, (await findUser(context, run.arguments.user)).id);
  if (!run.interactive)
    throw new AppError(
      'USAGE',
      'The super admin can be changed only at a terminal, because the command asks twice. Run it at one.',
    );
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

/** Asks for the address, which nobody types by accident. @throws AppError `INTERRUPTED` when it is not typed */
async function confirmByTyping(run: Run<'<user>'>, email: string, otherwise: string): Promise<void> {
  const [fields, { createPrompts }] = await Promise.all([
    import('../../../schemas/fields.js'),
    import('../../core/prompts.js'),
  ]);
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
