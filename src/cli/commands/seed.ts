import type { Command } from 'commander';
import { AppError } from '../../errors.js';
import { define, type Registry } from '../command.js';

export function register(program: Command, registry: Registry): void {
  const seed = program.command('seed').description('Fill the database with example data');

  define(seed, registry, {
    usage: 'demo',
    summary: 'Add a demo programme: a super admin, 3 trainers, 12 courses, 200 trainees and their enrollments',
    examples: ['seed demo'],
    async run(run) {
      const config = await run.config();
      if (config.environment === 'production') {
        throw new AppError(
          'SEED_REFUSED',
          'The demo accounts have a public password: "seed demo" is refused when NODE_ENV is production.',
        );
      }
      const { schema } = await run.context();
      await schema.assertCurrent();
      await schema.seedDemo();
      const accounts = ['admin@example.com', 'trainer1@example.com', 'trainer2@example.com', 'trainer3@example.com'];
      return {
        json: { seeded: 'demo', accounts },
        text: `The demo programme is there. Log in as ${accounts.join(', ')} or any trainee; the password of all demo accounts is: demo-password`,
      };
    },
  });
}
