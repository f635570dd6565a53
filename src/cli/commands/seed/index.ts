import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { yesOption } from '../../core/command/declaration.js';

export function register(program: Command, registry: Registry): void {
  const seed = program.command('seed').description('Fill the database with example data');

  define(seed, registry, {
    usage: 'demo',
    schema: 'current',
    summary: 'Add a demo programme: a super admin, 3 trainers, 12 courses, 200 trainees and their enrollments',
    examples: ['seed demo', 'seed demo --yes --json', 'seed demo --remove'],
    notes: 'A login changes nothing: the demo programme can still be removed afterwards.',
    options: {
      '--remove': 'remove the demo programme, unless somebody has changed it',
      ...yesOption,
    },
    load: () => import('./demo.js').then(({ seedDemo }) => ({ run: seedDemo })),
  });
}
