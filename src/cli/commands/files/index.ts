import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

const sweepOptions = {
  '--remove-unknown': 'also remove stored files that the database does not know',
};

export function register(program: Command, registry: Registry): void {
  const files = program.command('files').description('Manage the file storage');

  define(files, registry, {
    usage: 'sweep',
    schema: 'current',
    summary: 'Remove orphaned files, and compare the storage with the database',
    examples: ['files sweep', 'files sweep --remove-unknown --json'],
    options: sweepOptions,
    notes:
      "The service removes orphaned files every hour by itself. If files are missing in the storage, can't be read there, or have another size than was stored, they are listed and the exit code is 1. It is also 1 if orphaned files could not be removed.",
    load: () => import('./sweep.js').then(({ sweep }) => ({ run: sweep })),
  });
}
