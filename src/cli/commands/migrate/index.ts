import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { yesOption } from '../../core/command/declaration.js';

export function register(program: Command, registry: Registry): void {
  const migrate = program.command('migrate').description('Update the database schema, or revert it');

  define(migrate, registry, {
    usage: 'up',
    schema: 'not newer',
    missingDatabase: 'created',
    summary: 'Apply all pending migrations; safe to run on several machines at the same time',
    examples: ['migrate up', 'migrate up --json'],
    load: () => import('./migrations.js').then(({ up }) => ({ run: up })),
  });

  define(migrate, registry, {
    usage: 'down',
    schema: 'not newer',
    summary: 'Revert the latest migration, and delete the data in its tables',
    examples: ['migrate down', 'migrate down --steps 2 --yes', 'migrate down --all --yes'],
    options: {
      '--steps <n>': 'how many migrations to revert (default 1)',
      '--all': 'revert all of them',
      ...yesOption,
    },
    load: () => import('./migrations.js').then(({ down }) => ({ run: down })),
  });

  define(migrate, registry, {
    usage: 'status',
    schema: 'any',
    summary: 'List the migrations and whether each is applied; changes nothing',
    examples: ['migrate status', 'migrate status --json'],
    load: () => import('./migrations.js').then(({ status }) => ({ run: status })),
  });
}
