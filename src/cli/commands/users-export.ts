import { open, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { AppError, systemErrorCode } from '../../errors.js';
import { accountCells, accountFields } from '../accounts.js';
import { define, type Registry } from '../command.js';
import { writeText } from '../output.js';
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

interface Output {
  write(text: string): Promise<void>;
  /** Ends well. */
  close(): Promise<void>;
  /** Takes back what was written, as far as it can be. */
  discard(): Promise<void>;
}

/** Standard output, or a new file that only this user can read. */
async function openOutput({ io, options }: Run<ExportOptions>): Promise<Output> {
  const name = options.output;
  if (name === undefined) {
    const nothing = async () => undefined;
    return { write: (text) => writeText(io.stdout, text, io.signal), close: nothing, discard: nothing };
  }
  const file = path.resolve(io.cwd, name);
  const usable = <T>(work: Promise<T>): Promise<T> => {
    return work.catch((error: unknown) => {
      const problem =
        systemErrorCode(error) === 'EEXIST'
          ? 'exists already and is never overwritten'
          : `can't be written (${systemErrorCode(error)})`;
      throw new AppError('FILE_UNUSABLE', `The file ${name} ${problem}. Name another one.`, { cause: error });
    });
  };
  const handle = await usable(open(file, 'wx', 0o600));
  return {
    write: (text) => usable(handle.appendFile(text)),
    close: () => usable(handle.close()),
    async discard() {
      await handle.close();
      await unlink(file);
    },
  };
}

async function exportUsers(run: Run<ExportOptions>): Promise<Result> {
  const { json, output: file, role } = run.options;
  if (json && file === undefined)
    throw new AppError('USAGE', "CSV and JSON can't share standard output. Add --output <file>.");
  const [{ allUsers }, { csvLine }] = await Promise.all([
    import('../../services/users.js'),
    import('../../services/imports/report.js'),
  ]);
  const context = await run.context();
  await context.schema.assertCurrent();
  const output = await openOutput(run);
  let count = 0;
  try {
    // The header goes out with the first accounts: nothing is written when they can't be read.
    let text = csvLine(accountFields);
    for await (const batch of allUsers(context, { role })) {
      if (run.io.signal.aborted) throw new AppError('INTERRUPTED');
      text += batch.map((user) => csvLine(accountCells(user))).join('');
      await output.write(text);
      text = '';
      count += batch.length;
    }
    await output.write(text);
    await output.close();
  } catch (error) {
    await output.discard();
    throw error;
  }
  return file === undefined ? {} : { json: { exported: count, file }, text: `${count} accounts written to ${file}.` };
}
