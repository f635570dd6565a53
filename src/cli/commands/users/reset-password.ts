import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';

const resetOptions = {
  '--password-stdin': 'read the temporary password from standard input instead of generating one',
};

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'reset-password <user>',
    schema: 'current',
    summary:
      'Give an account a temporary password that must be changed at the next login; its sessions end immediately',
    examples: [
      'users reset-password ada@example.org',
      'users reset-password ada@example.org --password-stdin --json < password.txt',
    ],
    options: resetOptions,
    stopsItself: true,
    async run(run) {
      const { json, passwordStdin } = run.options;
      if (json && !passwordStdin) {
        throw new AppError(
          'USAGE',
          'A generated password is never part of --json output, which is often logged. Add --password-stdin, or leave out --json.',
        );
      }
      const { readPassword } = await import('../../core/input.js');
      const given = passwordStdin ? { password: await readPassword(run.io) } : undefined;
      const [{ resetPassword }, { findUser }, { operator }] = await Promise.all([
        import('../../../services/accounts/commands.js'),
        import('../../../services/accounts/queries.js'),
        import('../../../services/core.js'),
      ]);
      const context = await run.context();
      const { id } = await findUser(context, run.arguments.user);
      const { user, temporaryPassword } = await resetPassword(context, operator, id, given);
      if (!given) run.say(`The temporary password of ${user.email}, shown only this once:`);
      return {
        json: { user: { id: user.id, email: user.email, requiresPasswordChange: user.requiresPasswordChange } },
        text: given ? `The password of ${user.email} was reset.` : temporaryPassword,
      };
    },
  });
}
