import type { Command } from 'commander';
import type { Context } from '../../../context.js';
import { AppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import { tellingOfWait } from '../../core/migration-wait.js';

export function register(program: Command, registry: Registry): void {
  const seed = program.command('seed').description('Fill the database with example data');

  define(seed, registry, {
    usage: 'demo',
    schema: 'current',
    summary: 'Add a demo programme: a super admin, 3 trainers, 12 courses, 200 trainees and their enrollments',
    examples: ['seed demo'],
    stopsItself: true,
    async run(run) {
      const config = await run.config();
      if (config.environment === 'production') {
        throw new AppError(
          'SEED_REFUSED',
          'The demo accounts have a public password: "seed demo" is refused when NODE_ENV is production.',
        );
      }
      const context = await run.context();
      await context.schema.seedDemo(tellingOfWait(run));
      const accounts = await demoAccounts(context);
      return {
        json: { seeded: 'demo', accounts },
        text: `The demo programme was added. Log in as ${accounts.join(', ')} or any trainee; the password of all demo accounts is: demo-password`,
      };
    },
  });
}

/** The demo accounts; a super admin from before the demo isn't one of them. */
async function demoAccounts(context: Context): Promise<string[]> {
  const { listUsers } = await import('../../../services/accounts/queries.js');
  const { items } = await listUsers(context, { role: 'super_admin', search: 'admin@example.com' });
  return [...items.map(({ email }) => email), 'trainer1@example.com', 'trainer2@example.com', 'trainer3@example.com'];
}
