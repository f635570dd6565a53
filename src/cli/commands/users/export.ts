import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { assertDestination, writeData } from '../../core/file-output.js';
import { counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';

interface ExportOptions {
  role?: string;
  output?: string;
}

export function register(users: Command, registry: Registry): void {
  define<ExportOptions>(users, registry, {
    usage: 'export',
    schema: 'current',
    summary: 'Write all accounts as CSV, without passwords',
    examples: ['users export > users.csv', 'users export --role trainee --output trainees.csv'],
    options: (command) =>
      command
        .option('--role <role>', 'only accounts with this role')
        .option('--output <file>', 'write to this file, which must not exist, instead of standard output'),
    stopsItself: true,
    run: exportUsers,
  });
}

async function exportUsers(run: Run<ExportOptions>): Promise<Result> {
  assertDestination(run);
  const { output: file, role } = run.options;
  const { usersCsv } = await import('../../../services/accounts/queries.js');
  const context = await run.context();
  let exported = 0;
  const count = (accounts: number) => {
    exported += accounts;
  };
  await writeData(run, usersCsv(context, { role }, count));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'account')} written to ${file}.` };
}
