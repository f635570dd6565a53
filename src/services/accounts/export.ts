import { Op } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { type UserExportField, userExportFields, userExportSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import type { Table } from '../../tables/write/table.js';
import type { Core } from '../core.js';
import { exportTable, type OnExported, phoneColumn } from '../exports.js';
import { planAccountFilter } from './queries.js';
import type { AccountSearch } from './search.js';

/** Accounts per query, which bounds the memory of an export. */
const batch = 1000;

/**
 * Returns an export of all matching accounts, oldest first, without passwords.
 * @throws AppError `VALIDATION`, before any account is read
 */
export function usersTable(core: Core, input: unknown, onExported?: OnExported): Table {
  const { fields = userExportFields, ...filter } = validate(userExportSchema, input);
  const { models, read } = core.database;
  let found: AccountSearch | undefined;
  return exportTable(
    {
      sheet: 'Accounts',
      fields,
      columnOf: (field: UserExportField) => ({
        value: (user: User) => user[field],
        ...(field === 'phone' && phoneColumn),
      }),
      async rowsAfter(id) {
        found ??= await planAccountFilter(core, filter);
        const where = { [Op.and]: [found.all, { id: { [Op.gt]: id } }] };
        const attributes = [...new Set(['id', ...fields])];
        return read(() => models.User.findAll({ attributes, where, order: [['id', 'ASC']], limit: batch }));
      },
    },
    onExported,
  );
}
