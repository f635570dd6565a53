import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'doctor',
    schema: 'any',
    missingDatabase: 'reported',
    summary: 'Check configuration, database, schema, secrets, folders and clock; changes nothing',
    examples: ['doctor', 'doctor --json'],
    run: async (run) => (await import('./checks.js')).doctor(run),
  });
}
