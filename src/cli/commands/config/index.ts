import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'config',
    schema: 'any',
    summary: 'Show the effective settings and where each comes from, with secrets hidden',
    examples: ['config', 'config --json'],
    load: () => import('./show.js').then(({ show }) => ({ run: show })),
  });
}
