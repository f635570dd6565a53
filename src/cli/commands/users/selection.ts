import { isAppError } from '../../../errors.js';
import { searchKey } from '../../../schemas/keys.js';
import { type UserFilter, userFilterSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { findMatchingUsers, findReferencedUsers } from '../../../services/accounts/find-user.js';
import type { Context } from '../../../services/context.js';
import {
  type BulkRun,
  emptySearch,
  type Selection,
  selectionOf,
  type Targets,
  targetsOf,
} from '../../core/bulk/bulk.js';
import type { BulkItem, BulkWording } from '../../core/bulk/bulk-plan.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { pickRecord } from '../../core/command/picker.js';
import { groupIdOf } from '../../core/command/references.js';
import type { Run } from '../../core/command/run.js';
import { accountHeadings, filterOf, type filterOptions } from './options.js';

type Filter = ReturnType<typeof filterOf>;
type Account = Awaited<ReturnType<typeof findMatchingUsers>>[number];

const accountItem = ({ id, firstName, lastName, email }: Account): BulkItem => {
  const name = `${firstName} ${lastName}`;
  return { id, name, label: `${name} (${email})` };
};

type AccountsRun = BulkRun & Run<'[user...]'> & { options: OptionValues<typeof filterOptions> };

/**
 * Checks the filters.
 * @returns the filters except for the group; undefined without filters
 * @throws AppError `VALIDATION`; `USAGE` for an empty search alone, which would match all accounts
 */
function conditionsOf(options: AccountsRun['options']): Filter | undefined {
  const filter = filterOf(options);
  const isNone = (values: object) => [options.group, ...Object.values(values)].every((value) => value === undefined);
  if (isNone(filter)) return undefined;
  const { search, ...others } = validate(userFilterSchema, filter);
  if (searchKey(search) === '' && isNone(others)) throw emptySearch();
  return filter;
}

/**
 * Returns the accounts that a command line selects.
 * @returns `selection` takes additional conditions for filters; it throws `NOT_FOUND` for an unknown group
 * @throws AppError `USAGE`, and the errors of {@link targetsOf}
 */
export async function resolveAccounts(
  run: AccountsRun,
  wording: Pick<BulkWording, 'singular' | 'toDo'>,
): Promise<Targets & { selection(context: Context, fixed?: UserFilter): Promise<Selection> }> {
  const filter = conditionsOf(run.options);
  const targets = await targetsOf(run, {
    typed: run.arguments.user,
    isFiltered: filter !== undefined,
    headings: accountHeadings,
    wording,
    choose: async () => pickRecord(run, await run.context(), 'user'),
  });
  return {
    ...targets,
    async selection(context, fixed) {
      const { signal } = run.io;
      if (targets.kind === 'filter') {
        const group = await groupIdOf(context, run.options.group);
        const users = await findMatchingUsers(context, { ...filter, group, ...fixed }, signal);
        return { entries: users.map((user) => ({ given: null, found: accountItem(user) })), repeated: 0 };
      }
      const names = targets.kind === 'one' ? [targets.name] : targets.names;
      const found = await findReferencedUsers(context, names, signal);
      return selectionOf(
        names,
        found.map((one) => (isAppError(one) ? one : accountItem(one))),
      );
    },
  };
}
