import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'config',
    schema: 'any',
    summary: 'Show the effective settings and where each comes from, with secrets hidden',
    examples: ['config', 'config --json'],
    async run({ io, config, display }) {
      const [{ describeSettings }, { rowsText }] = await Promise.all([
        import('../../../config/show.js'),
        import('../../core/table.js'),
      ]);
      // It warns of names that are no settings.
      await config();
      const settings = describeSettings({ env: io.env, cwd: io.cwd });
      return {
        json: { settings },
        text: rowsText(
          ['SETTING', 'VALUE', 'FROM'],
          settings.map(({ name, value, origin }) => [name, value, origin]),
          display,
        ),
      };
    },
  });
}
