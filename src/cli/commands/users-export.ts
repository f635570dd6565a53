import type { Command } from 'commander';
import { accountCells, accountFields } from '../accounts.js';
import { define, type Registry } from '../command.js';
import { assertDestination, writeData } from '../file-output.js';
import type { Result, Run } from '../run.js';

interface ExportOptions {
  role?: string;
  output?: string;
}

export function register(users: Command, registry: Registry): void {
  define<ExportOptions>(users, registry, {
    usage: 'export',
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
  const [{ allUsers }, { csvLine }] = await Promise.all([
    import('../../services/users.js'),
    import('../../services/imports/report.js'),
  ]);
  const context = await run.context();
  await context.schema.assertCurrent();
  let count = 0;
  async function* pieces() {
    // The header goes out with the first accounts: nothing is written when they can't be read.
    let header = csvLine(accountFields);
    for await (const batch of allUsers(context, { role })) {
      yield header + batch.map((user) => csvLine(accountCells(user))).join('');
      header = '';
      count += batch.length;
    }
    yield header;
  }
  await writeData(run, pieces());
  return file === undefined ? {} : { json: { exported: count, file }, text: `${count} accounts written to ${file}.` };
}
