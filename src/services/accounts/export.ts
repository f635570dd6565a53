import { Op, type WhereOptions } from 'sequelize';
import { phoneCell } from '../../csv/cells.js';
import type { User } from '../../db/models/user.js';
import { exportedFields } from '../../schemas/account-fields.js';
import { type UserFilter, userFilterSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import type { Table, TableColumn, TableRow } from '../../workbook/table.js';
import type { Core } from '../core.js';
import { listingFilter } from './queries.js';

/** Accounts per query of an export, which bounds its memory. */
const exportBatch = 1000;

/** The columns of an export. */
const exportedColumns = ['id', ...exportedFields, 'createdAt'] as const;

const columns: readonly TableColumn[] = exportedColumns.map((heading) => ({
  heading,
  ...(heading === 'phone' && { isText: true, csvCell: phoneCell }),
}));

/**
 * All matching accounts, oldest first, without passwords.
 * @param onBatch called with the number of accounts of each batch
 * @throws AppError `VALIDATION`, before the first accounts are read
 */
export function usersTable(core: Core, input: unknown, onBatch: (accounts: number) => void = () => undefined): Table {
  return { sheet: 'Accounts', columns, next: batchesOf(core, validate(userFilterSchema, input), onBatch) };
}

function batchesOf(core: Core, wanted: UserFilter, onBatch: (accounts: number) => void): Table['next'] {
  let filter: WhereOptions<User> | undefined;
  let after = '';
  return async () => {
    filter ??= (await listingFilter(core, wanted)).all;
    const batch = await accountsAfter(core, filter, after);
    after = batch.at(-1)?.id ?? after;
    if (batch.length === 0) return undefined;
    onBatch(batch.length);
    return batch.map((user): TableRow => exportedColumns.map((field) => user[field]));
  };
}

const accountsAfter = (core: Core, filter: WhereOptions<User>, after: string): Promise<User[]> =>
  core.database.read(() =>
    core.database.models.User.findAll({
      attributes: [...exportedColumns],
      where: { [Op.and]: [filter, { id: { [Op.gt]: after } }] },
      order: [['id', 'ASC']],
      limit: exportBatch,
    }),
  );
