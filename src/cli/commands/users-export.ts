import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Command } from 'commander';
import { AppError, systemErrorCode } from '../../errors.js';
import { accountCells, accountFields } from '../accounts.js';
import { define, type Registry } from '../command.js';
import type { OutputStream } from '../output.js';
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
    run: exportUsers,
  });
}

async function openOutput(run: Run<ExportOptions>): Promise<OutputStream> {
  const { output } = run.options;
  if (output === undefined) return run.io.stdout;
  const file = createWriteStream(output, { flags: 'wx', mode: 0o600 });
  try {
    await once(file, 'open');
  } catch (error) {
    const problem =
      systemErrorCode(error) === 'EEXIST'
        ? 'exists already and is never overwritten'
        : `can't be written (${systemErrorCode(error)})`;
    throw new AppError('FILE_UNUSABLE', `The file ${output} ${problem}. Name another one.`, { cause: error });
  }
  return file;
}

async function exportUsers(run: Run<ExportOptions>): Promise<Result> {
  const { json, output, role } = run.options;
  if (json && output === undefined)
    throw new AppError('USAGE', "CSV and JSON can't share standard output. Add --output <file>.");
  const [{ allUsers }, { csvLine }] = await Promise.all([
    import('../../services/users.js'),
    import('../../services/imports/report.js'),
  ]);
  const context = await run.context();
  await context.schema.assertCurrent();
  const stream = await openOutput(run);
  const write = async (text: string) => {
    if (!stream.write(text)) await once(stream, 'drain');
  };
  let count = 0;
  await write(csvLine(accountFields));
  for await (const batch of allUsers(context, { role })) {
    await write(batch.map((user) => csvLine(accountCells(user))).join(''));
    count += batch.length;
  }
  if (output === undefined) return {};
  stream.end();
  await once(stream, 'finish');
  return { json: { exported: count, file: output }, text: `${count} accounts written to ${output}.` };
}
