import { userFilterSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { usersCsv } from '../../../services/accounts/export.js';
import type { Result, Run } from '../../core/command/run.js';
import { assertDestination, writeData } from '../../core/listing/file-output.js';
import { counted } from '../../core/output/output.js';
import { type exportOptions, filterOf } from './options.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof exportOptions>): void {
  assertDestination(run);
  validate(userFilterSchema, filterOf(run.options));
}

/** Writes accounts as CSV. @throws AppError as `writeData` */
export async function exportUsers(run: Run<'', typeof exportOptions>): Promise<Result> {
  const { output: file } = run.options;
  const context = await run.context();
  let exported = 0;
  const count = (accounts: number) => {
    exported += accounts;
  };
  await writeData(run, usersCsv(context, filterOf(run.options), count));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'account')} written to ${file}.` };
}
