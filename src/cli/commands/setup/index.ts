import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import type { SetupOptions } from './wizard.js';

export function register(program: Command, registry: Registry): void {
  define<SetupOptions>(program, registry, {
    usage: 'setup',
    schema: 'not newer',
    summary: 'Set the system up: check the database, create its tables, create the super admin',
    examples: [
      'setup',
      'setup --yes --first-name Ada --last-name Lovelace --email ada@example.org --phone "555 0100" --password-stdin < password.txt',
    ],
    options: (command) =>
      command
        .option('--first-name <name>', "the super admin's first name")
        .option('--last-name <name>', "the super admin's last name")
        .option('--email <address>', "the super admin's email address")
        .option('--phone <number>', "the super admin's phone number")
        .option('--password-stdin', "read the super admin's password from standard input")
        .option('--yes', 'apply migrations without asking'),
    stopsItself: true,
    run: async (run) => (await import('./wizard.js')).setup(run),
  });
}
