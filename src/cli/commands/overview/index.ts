import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'overview',
    schema: 'any',
    summary: 'Show the figures of accounts, courses, enrollments, imports and storage',
    examples: ['overview', 'overview --json'],
    load: () => import('./show.js').then(({ show }) => ({ run: show })),
  });
}
