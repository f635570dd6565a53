import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import type { OutputOptions, ResumeOptions, UndoOptions } from './options.js';

interface ListOptions {
  status?: string;
  page?: string;
  limit?: string;
}

export function register(program: Command, registry: Registry): void {
  const imports = program.command('imports').description('Look at imports, go on with them, take them back');

  define<ListOptions>(imports, registry, {
    usage: 'list',
    schema: 'current',
    summary: 'List imports, newest first',
    examples: ['imports list', 'imports list --status interrupted', 'imports list --limit 100 --json'],
    options: (command) =>
      command
        .option('--status <status>', 'only imports that are queued, running, interrupted, completed, ...')
        .option('--page <number>', 'from 1')
        .option('--limit <number>', 'imports a page, 1 to 100'),
    run: async (run) => (await import('./actions.js')).list(run),
  });

  define(imports, registry, {
    usage: 'show <id>',
    schema: 'current',
    summary: 'Show one import: where it stands, its files, and the accounts that undo kept',
    examples: ['imports show 019aa0c4-...', 'imports show 019aa0c4-... --json'],
    run: async (run) => (await import('./actions.js')).show(run),
  });

  define<OutputOptions>(imports, registry, {
    usage: 'export <id>',
    schema: 'current',
    summary: 'Write what became of every row as CSV, with the accounts as they are now',
    examples: ['imports export 019aa0c4-... > outcome.csv', 'imports export 019aa0c4-... --output outcome.csv'],
    options: (command) =>
      command.option('--output <file>', 'write to this file, which must not exist, instead of standard output'),
    stopsItself: true,
    run: async (run) => (await import('./actions.js')).exportLedger(run),
  });

  define<OutputOptions>(imports, registry, {
    usage: 'rejects <id>',
    schema: 'current',
    summary:
      'Write the rejected rows as CSV, as they were, with line, code and reason: correct them and import that file',
    examples: ['imports rejects 019aa0c4-... > rejected.csv'],
    options: (command) =>
      command.option('--output <file>', 'write to this file, which must not exist, instead of standard output'),
    stopsItself: true,
    run: async (run) => (await import('./actions.js')).rejects(run),
  });

  define<ResumeOptions>(imports, registry, {
    usage: 'resume <id>',
    schema: 'current',
    summary: 'Go on with an import that broke off',
    examples: ['imports resume 019aa0c4-...', 'imports resume 019aa0c4-... --yes --json'],
    options: (command) =>
      command
        .option('--credentials <file>', 'where generated passwords go, if the first file is gone; must not exist')
        .option('--rejects <file>', 'where rejected rows go, if the first file is gone; must not exist')
        .option('--yes', "don't ask"),
    stopsItself: true,
    run: async (run) => (await import('./actions.js')).resume(run),
  });

  define(imports, registry, {
    usage: 'cancel <id>',
    schema: 'current',
    summary: 'End an import that waits or runs, at the next batch of rows; what is done stays',
    examples: ['imports cancel 019aa0c4-...'],
    run: async (run) => (await import('./actions.js')).cancel(run),
  });

  define<UndoOptions>(imports, registry, {
    usage: 'undo <id>',
    schema: 'current',
    summary: 'Remove the accounts that an import created and restore those that it updated',
    examples: [
      'imports undo 019aa0c4-... --dry-run',
      'imports undo 019aa0c4-...',
      'imports undo 019aa0c4-... --yes --json',
    ],
    options: (command) =>
      command
        .option('--dry-run', 'show what would happen; writes nothing')
        .option('--yes', "don't ask")
        .addHelpText(
          'after',
          '\nAccounts that have signed in, were edited or enrolled since, or have courses, are kept and named.',
        ),
    stopsItself: true,
    run: async (run) => (await import('./actions.js')).undo(run),
  });
}
