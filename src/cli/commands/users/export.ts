import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { outputOption } from '../../core/declaration.js';
import { counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { filterOf, filterOptions } from './options.js';

const exportOptions = {
  ...filterOptions,
  ...outputOption,
};

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'export',
    schema: 'current',
    summary: 'Write accounts as CSV, without passwords',
    examples: ['users export > users.csv', 'users export --role trainee --active --output trainees.csv'],
    options: exportOptions,
    check: checkExport,
    stopsItself: true,
    run: exportUsers,
  });
}

async function checkExport(run: Run<'', typeof exportOptions>): Promise<void> {
  const [{ assertDestination }, { userFilterSchema }, { validate }] = await Promise.all([
    import('../../core/file-output.js'),
    import('../../../schemas/user.js'),
    import('../../../schemas/validate.js'),
  ]);
  assertDestination(run);
  validate(userFilterSchema, filterOf(run.options));
}

async function exportUsers(run: Run<'', typeof exportOptions>): Promise<Result> {
  const { writeData } = await import('../../core/file-output.js');
  const { output: file } = run.options;
  const filter = filterOf(run.options);
  const { usersCsv } = await import('../../../services/accounts/queries.js');
  const context = await run.context();
  let exported = 0;
  const count = (accounts: number) => {
    exported += accounts;
  };
  await writeData(run, usersCsv(context, filter, count));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'account')} written to ${file}.` };
}
