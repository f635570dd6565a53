import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { bulkNotes } from '../../core/declaration.js';
import { resetOptions } from './options.js';

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'reset-password [user...]',
    schema: 'current',
    summary: 'Give accounts temporary passwords that must be changed at the next login; their sessions end immediately',
    examples: [
      'users reset-password ada@example.org',
      'users reset-password ada@example.org --password-stdin --json < password.txt',
      'users reset-password --from people.csv --credentials people.credentials.csv',
    ],
    options: resetOptions,
    notes: `${bulkNotes('accounts')}\nOnly you can read the file of passwords. Give each person their password, then delete the file.`,
    stopsItself: true,
    run: async (run) => (await import('./bulk.js')).resetPasswords(run),
  });
}
