import type { Command } from 'commander';
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
      const [{ loadDemo }, { operator }] = await Promise.all([
        import('../../../services/maintenance/demo.js'),
        import('../../../services/core.js'),
      ]);
      const { accounts, password } = await loadDemo(await run.context(), operator, tellingOfWait(run));
      return {
        json: { seeded: 'demo', accounts },
        text: `The demo programme was added. Log in as ${accounts.join(', ')} or any trainee; the password of all demo accounts is: ${password}`,
      };
    },
  });
}
