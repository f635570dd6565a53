import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { setupOptions } from './options.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'setup',
    schema: 'not newer',
    missingDatabase: 'created',
    summary: 'Set up the system: check the database, create its tables, create the super admin',
    examples: [
      'setup',
      'setup --yes --first-name Ada --last-name Lovelace --email ada@example.org --phone "555 0100" --password-stdin < password.txt',
    ],
    options: setupOptions,
    load: () => import('./wizard.js').then(({ setup }) => ({ run: setup })),
  });
}
