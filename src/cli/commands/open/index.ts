import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

const openOptions = { '--print': "only print the address: open nothing, and don't check that the service answers" };

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'open',
    schema: 'any',
    summary: 'Open the web console of the running service in a browser',
    examples: ['open', 'open --print'],
    notes: 'The address comes from the settings HOST and PORT. For a service that was started with --port, set PORT.',
    options: openOptions,
    load: () => import('./open.js').then(({ openConsole }) => ({ run: openConsole })),
  });
}
