import { presentGroupName } from '../../../presenters/group.js';
import { presentListedUser, presentUserDetails } from '../../../presenters/user.js';
import { userListingSchema } from '../../../schemas/user.js';
import { findUser, findUserWithDetails, listUsers } from '../../../services/accounts/queries.js';
import { lockOf } from '../../../services/auth/current-locks.js';
import { groupsOfUser } from '../../../services/groups/queries.js';
import { groupIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { sortingOf } from '../../core/listing/columns.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { asTyped } from '../../core/output/output.js';
import { userColumns } from './columns.js';
import { filterOf, type listOptions } from './options.js';
import { accountText } from './output.js';

const queryOf = ({ options }: Run<'', typeof listOptions>) => ({ ...filterOf(options), ...sortingOf(options) });

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof listOptions>): void {
  checkListing(run, userColumns, userListingSchema, queryOf(run));
}

/** Lists accounts, newest first by default. @throws AppError `VALIDATION`, `NOT_FOUND` for the group */
export function list(run: Run<'', typeof listOptions>): Promise<Result> {
  return listing(run, { key: 'users', singular: 'account', columns: userColumns }, async () => {
    const context = await run.context();
    const query = { ...queryOf(run), group: await groupIdOf(context, run.options.group) };
    return async (page) => presented(await listUsers(context, { ...query, ...page }), presentListedUser);
  });
}

/** Shows one account with its groups, lock and invitation. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<user>'>): Promise<Result> {
  const context = await run.context();
  const { id } = await findUser(context, run.arguments.user);
  const user = await findUserWithDetails(context, id);
  const lockedUntil = await lockOf(context, id);
  const groups = (await groupsOfUser(context, id)).map(presentGroupName);
  const shown = presentUserDetails(user, lockedUntil);
  const locked =
    lockedUntil === null
      ? ''
      : `\nLocked until ${lockedUntil.toISOString()} after too many wrong passwords.\nTo unlock it: ${asTyped(run.io, `users unlock ${user.email}`)}`;
  return { json: { user: shown, groups }, text: accountText(shown, groups, run.display) + locked };
}
