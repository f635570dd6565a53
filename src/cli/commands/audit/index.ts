import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { dryRunOption, yesOption } from '../../core/command/declaration.js';
import { auditListOptions } from './columns.js';

export function register(program: Command, registry: Registry): void {
  const audit = program.command('audit').description('Show who changed what, and delete old entries');

  define(audit, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List who changed what, newest first; --json shows old and new values',
    examples: [
      'audit list',
      'audit list --action course.delete --from 2026-01-01',
      'audit list --actor ada@example.org --json',
      'audit list --target ben@example.org',
      'audit list --target-type course --target "Data analysis"',
    ],
    options: auditListOptions,
    load: () => import('./list.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(audit, registry, {
    usage: 'prune',
    schema: 'current',
    summary: 'Export entries that are older than AUDIT_RETENTION_DAYS, then delete them',
    examples: ['audit prune --dry-run', 'audit prune', 'audit prune --yes --json'],
    options: { ...dryRunOption, ...yesOption },
    notes:
      'The service does the same every hour. The files are in the folder "retention" of DATA_DIR: keep them with your backups.',
    load: () => import('./prune.js').then(({ prune }) => ({ run: prune })),
  });
}
