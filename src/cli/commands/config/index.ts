import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { table } from '../../core/output.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'config',
    schema: 'any',
    summary: 'Show the effective settings and where each comes from, with secrets hidden',
    examples: ['config', 'config --json'],
    async run({ io, config }) {
      const { describeSettings } = await import('../../../config/show.js');
      // It warns of names that are no settings.
      await config();
      const settings = describeSettings({ env: io.env, cwd: io.cwd });
      return {
        json: { settings },
        text: table(
          ['SETTING', 'VALUE', 'FROM'],
          settings.map(({ name, value, origin }) => [name, value, origin]),
        ),
      };
    },
  });
}
