import { Op, type WhereOptions } from 'sequelize';
import { neutralizeCell, phoneCell } from '../../csv/cells.js';
import { markedHeader, rawLine } from '../../csv/format.js';
import type { User } from '../../db/models/user.js';
import { exportedFields } from '../../schemas/account-fields.js';
import { type UserFilter, userFilterSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { listingFilter } from './queries.js';

/** Accounts per query of an export, which bounds its memory. */
const exportBatch = 1000;

/** The columns of an export. */
const exportedColumns = ['id', ...exportedFields, 'createdAt'] as const;

/**
 * All matching accounts, oldest first, as CSV without passwords. The header comes with the first accounts, so that nothing
 * is written when they can't be read.
 * @param onBatch called with the number of accounts of each batch
 * @throws AppError `VALIDATION`, before the first chunk is requested
 */
export function usersCsv(
  core: Core,
  input: unknown,
  onBatch: (accounts: number) => void = () => undefined,
): AsyncGenerator<string> {
  return csvOf(core, validate(userFilterSchema, input), onBatch);
}

const csvLineOf = (user: User): string =>
  rawLine(
    exportedColumns.map((field) => {
      const value = user[field];
      if (field === 'phone') return phoneCell(user.phone);
      return neutralizeCell(value instanceof Date ? value.toISOString() : String(value ?? ''));
    }),
  );

/** The lines of the next accounts, and the last of their ids. */
async function nextLines(
  core: Core,
  filter: WhereOptions<User>,
  after: string,
): Promise<{ text: string; accounts: number; last: string }> {
  const batch = await core.database.read(() =>
    core.database.models.User.findAll({
      attributes: [...exportedColumns],
      where: { [Op.and]: [filter, { id: { [Op.gt]: after } }] },
      order: [['id', 'ASC']],
      limit: exportBatch,
    }),
  );
  return { text: batch.map(csvLineOf).join(''), accounts: batch.length, last: batch.at(-1)?.id ?? after };
}

/** An export that waits for its client keeps the text of a batch, not its accounts. */
async function* csvOf(core: Core, wanted: UserFilter, onBatch: (accounts: number) => void): AsyncGenerator<string> {
  const { all: filter } = await listingFilter(core, wanted);
  let header = markedHeader(exportedColumns);
  for (let after = ''; ; ) {
    const { text, accounts, last } = await nextLines(core, filter, after);
    if (accounts === 0) break;
    yield header + text;
    header = '';
    onBatch(accounts);
    after = last;
  }
  yield header;
}
