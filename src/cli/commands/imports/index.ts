import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { dryRunOption, tableOutputOption, yesOption } from '../../core/command/declaration.js';
import { importListOptions, importRowOptions, rejectsOptions, resumeOptions, undoOptions } from './options.js';

export function register(program: Command, registry: Registry): void {
  const imports = program.command('imports').description('List, resume, cancel, undo and prune imports');

  define(imports, registry, {
    usage: 'list',
    schema: 'current',
    stopsItself: false,
    summary: 'List imports, newest first',
    examples: ['imports list', 'imports list --status interrupted', 'imports list --limit 100 --json'],
    options: importListOptions,
    load: () => import('./actions.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(imports, registry, {
    usage: 'show <import>',
    schema: 'current',
    stopsItself: false,
    summary: 'Show one import: its progress, its files, and the accounts that undo kept',
    examples: ['imports show 12', 'imports show 12 --json'],
    load: () => import('./actions.js').then(({ show }) => ({ run: show })),
  });

  define(imports, registry, {
    usage: 'rows <import>',
    schema: 'current',
    stopsItself: false,
    summary: 'List the rows of an import: planned rows before it is applied, then their outcomes',
    examples: ['imports rows 12 --outcome rejected', 'imports rows 12 --code EMAIL_INVALID --json'],
    options: importRowOptions,
    load: () => import('./actions.js').then(({ checkRows, rows }) => ({ check: checkRows, run: rows })),
  });

  define(imports, registry, {
    usage: 'export <import>',
    schema: 'current',
    summary: 'Write the result of every row as CSV or a workbook, with the current data of the accounts',
    examples: ['imports export 12 > outcome.csv', 'imports export 12 --output outcome.xlsx'],
    options: tableOutputOption,
    load: () =>
      import('./actions.js').then(({ assertTableDestination, exportLedger }) => ({
        check: assertTableDestination,
        run: exportLedger,
      })),
  });

  define(imports, registry, {
    usage: 'rejects <import>',
    schema: 'current',
    summary:
      'Write the rejected rows with line, code and reason, in the format of the imported file, to correct and import them',
    examples: ['imports rejects 12 --output rejected.xlsx', 'imports rejects 12 > rejected.csv'],
    options: rejectsOptions,
    load: () =>
      import('./actions.js').then(({ assertTableDestination, rejects }) => ({
        check: assertTableDestination,
        run: rejects,
      })),
  });

  define(imports, registry, {
    usage: 'resume <import>',
    schema: 'current',
    summary: 'Resume an interrupted import',
    examples: ['imports resume 12', 'imports resume 12 --yes --json'],
    options: resumeOptions,
    importsToChoose: ['interrupted', 'failed', 'cancelled'],
    load: () => import('./actions.js').then(({ resume }) => ({ run: resume })),
  });

  define(imports, registry, {
    usage: 'cancel <import>',
    schema: 'current',
    stopsItself: false,
    summary: 'Cancel a queued or running import after the current batch of rows; imported rows stay',
    examples: ['imports cancel 12'],
    importsToChoose: ['planning', 'planned', 'queued', 'running', 'interrupted'],
    load: () => import('./actions.js').then(({ cancel }) => ({ run: cancel })),
  });

  define(imports, registry, {
    usage: 'undo <import>',
    schema: 'current',
    summary: 'Remove the accounts that an import created and restore those that it updated',
    examples: ['imports undo 12 --dry-run', 'imports undo 12', 'imports undo 12 --yes --json'],
    options: undoOptions,
    importsToChoose: ['interrupted', 'completed', 'stopped', 'failed', 'cancelled', 'undoing'],
    notes:
      'Accounts that have signed in, were edited or enrolled since, or have courses, are kept and listed. The exit code is then 3, or 1 if all are kept. Undo the import again once these reasons no longer apply.',
    load: () => import('./actions.js').then(({ undo }) => ({ run: undo })),
  });

  define(imports, registry, {
    usage: 'prune',
    schema: 'current',
    summary: 'Export the rows of imports that ended more than IMPORT_RETENTION_DAYS ago, then delete them',
    examples: ['imports prune --dry-run', 'imports prune', 'imports prune --yes --json'],
    options: { ...dryRunOption, ...yesOption },
    notes:
      'The service does the same every hour. The files are in the folder "retention" of DATA_DIR. The imports stay with their counts, and can no longer be undone or resumed.',
    load: () => import('./prune.js').then(({ prune }) => ({ run: prune })),
  });
}
