import { userExportSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { usersTable } from '../../../services/accounts/export.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { groupIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { assertTableDestination, writeExport } from '../../core/listing/file-output.js';
import { filterOf, type userExportOptions } from './options.js';

const queryOf = (options: OptionValues<typeof userExportOptions>) => ({ ...filterOf(options), fields: options.fields });

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof userExportOptions>): void {
  assertTableDestination(run);
  validate(userExportSchema, queryOf(run.options));
}

/** Exports accounts. @throws AppError `NOT_FOUND` for the group, and the errors of `writeData` */
export async function exportUsers(run: Run<'', typeof userExportOptions>): Promise<Result> {
  const context = await run.context();
  const query = { ...queryOf(run.options), group: await groupIdOf(context, run.options.group) };
  return writeExport(run, 'account', (onExported) => usersTable(context, query, onExported));
}
