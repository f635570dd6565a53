import { userFilterSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { usersTable } from '../../../services/accounts/export.js';
import { tablePieces } from '../../../workbook/table.js';
import type { Result, Run } from '../../core/command/run.js';
import { assertTableDestination, tableTarget, writeData } from '../../core/listing/file-output.js';
import { counted } from '../../core/output/output.js';
import { type exportOptions, filterOf } from './options.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof exportOptions>): void {
  assertTableDestination(run);
  validate(userFilterSchema, filterOf(run.options));
}

/** Writes accounts. @throws AppError as `writeData` */
export async function exportUsers(run: Run<'', typeof exportOptions>): Promise<Result> {
  const { format, file } = tableTarget(run.options.output);
  const context = await run.context();
  let exported = 0;
  const count = (accounts: number) => {
    exported += accounts;
  };
  await writeData(run.io, file, tablePieces(usersTable(context, filterOf(run.options), count), format));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'account')} written to ${file}.` };
}
