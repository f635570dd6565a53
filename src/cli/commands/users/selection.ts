import { isAppError } from '../../../errors.js';
import { searchKey } from '../../../schemas/keys.js';
import { userFilterSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { usersMatching, usersNamed } from '../../../services/accounts/find-user.js';
import type { Context } from '../../../services/context.js';
import { type BulkRun, emptySearch, type Selection, type Source, selectionOf, sourceOf } from '../../core/bulk/bulk.js';
import type { BulkWords, Named } from '../../core/bulk/bulk-plan.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { pick } from '../../core/command/picker.js';
import type { Run } from '../../core/command/run.js';
import { accountHeadings, filterOf, type filterOptions } from './options.js';

type Filter = ReturnType<typeof filterOf>;
type Account = Awaited<ReturnType<typeof usersMatching>>[number];

/** An account as bulk changes name it. */
const namedAccount = ({ id, firstName, lastName, email }: Account): Named => {
  const name = `${firstName} ${lastName}`;
  return { id, name, label: `${name} (${email})` };
};

/** A command that changes accounts. */
type AccountsRun = BulkRun & Run<'[user...]'> & { options: OptionValues<typeof filterOptions> };

/**
 * @returns nothing without filters
 * @throws AppError `VALIDATION`; `USAGE` for a search for nothing, which would mean all accounts
 */
function conditionsOf(filter: Filter): Filter | undefined {
  if (Object.values(filter).every((value) => value === undefined)) return undefined;
  const { search, ...others } = validate(userFilterSchema, filter);
  if (searchKey(search) === '' && Object.values(others).every((value) => value === undefined)) throw emptySearch();
  return filter;
}

/**
 * The accounts that a command line means.
 * @param fixed conditions that always hold
 * @throws AppError `USAGE`, as {@link sourceOf}
 */
export async function accountsMeant(
  run: AccountsRun,
  words: Pick<BulkWords, 'one' | 'toDo'>,
  fixed: Partial<Filter> = {},
): Promise<Source & { selection(context: Context): Promise<Selection> }> {
  const filter = conditionsOf(filterOf(run.options));
  const source = await sourceOf(run, {
    typed: run.arguments.user,
    isFiltered: filter !== undefined,
    headings: accountHeadings,
    words,
    choose: async () => pick(run, await run.context(), 'user'),
  });
  return {
    ...source,
    async selection(context) {
      const { signal } = run.io;
      if (source.kind === 'filter') {
        const users = await usersMatching(context, { ...filter, ...fixed }, signal);
        return { entries: users.map((user) => ({ given: null, found: namedAccount(user) })), repeated: 0 };
      }
      const names = source.kind === 'one' ? [source.name] : source.names;
      const found = await usersNamed(context, names, signal);
      return selectionOf(
        names,
        found.map((one) => (isAppError(one) ? one : namedAccount(one))),
      );
    },
  };
}
