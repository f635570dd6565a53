import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

const serveOptions = {
  '--migrate': 'apply pending migrations first',
  '--host <address>': 'address to listen on (default: the setting HOST)',
  '--port <number>': 'port to listen on (default: the setting PORT)',
};

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'serve',
    // The command waits for the database, then checks the schema itself.
    schema: 'any',
    missingDatabase: 'created with --migrate',
    summary: 'Serve the HTTP API until stopped (Ctrl-C or SIGTERM)',
    examples: ['serve', 'serve --migrate', 'serve --host 0.0.0.0 --port 8080'],
    options: serveOptions,
    stopsItself: true,
    load: () => import('./serve.js').then(({ serve }) => ({ run: serve })),
  });
}
