import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

const doctorOptions = {
  '--production': 'check as if NODE_ENV were production: what is missing before real people use it',
};

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'doctor',
    schema: 'any',
    missingDatabase: 'reported',
    reportsSettings: true,
    summary: 'Check configuration, database, schema, secrets, folders and clock; changes nothing',
    examples: ['doctor', 'doctor --production', 'doctor --json'],
    options: doctorOptions,
    load: async () => {
      const { doctor } = await import('./checks.js');
      return { run: (run) => doctor(run, Boolean(run.options.production)) };
    },
  });
}
