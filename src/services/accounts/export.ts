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

/** Returns the names of the groups of each account in a cell that an import reads. */
async function groupCells({ database }: Core, users: readonly User[]): Promise<ReadonlyMap<string, string>> {
  const { Group, GroupMember } = database.models;
  const members = await database.read(() =>
    GroupMember.findAll({
      attributes: ['userId'],
      where: { userId: users.map(({ id }) => id) },
      include: { model: Group, as: 'group', attributes: ['name', 'sortKey'] },
      order: [['group', 'sortKey', 'ASC']],
    }),
  );
  const cells = new Map<string, string>();
  for (const { userId, group } of members) {
    const before = cells.get(userId);
    cells.set(userId, before === undefined ? group.name : `${before}; ${group.name}`);
  }
  return cells;
}

/**
 * Returns an export of all matching accounts, oldest first, without passwords.
 * @throws AppError `VALIDATION`, before any account is read
 */
export function usersTable(core: Core, input: unknown, onExported?: OnExported): Table {
  const { fields = userExportFields, ...filter } = validate(userExportSchema, input);
  const { models, read } = core.database;
  let found: AccountSearch | undefined;
  let groups: ReadonlyMap<string, string> = new Map();
  return exportTable(
    {
      sheet: 'Accounts',
      fields,
      columnOf: (field: UserExportField) => ({
        value: (user: User) => (field === 'group' ? (groups.get(user.id) ?? '') : user[field]),
        ...(field === 'phone' && phoneColumn),
      }),
      async rowsAfter(id) {
        found ??= await planAccountFilter(core, filter);
        const where = { [Op.and]: [found.all, { id: { [Op.gt]: id } }] };
        const attributes = [...new Set(['id', ...fields.filter((field) => field !== 'group')])];
        const users = await read(() =>
          models.User.findAll({ attributes, where, order: [['id', 'ASC']], limit: batch }),
        );
        if (fields.includes('group')) groups = await groupCells(core, users);
        return users;
      },
    },
    onExported,
  );
}
