import type { TFunction } from 'i18next';
import { call, type Input } from '../api/client.js';
import { messageOf, refusalText } from '../ui/messages.js';
import type { Account } from './account-state.js';
import type { PeopleFilter } from './people-filters.js';

/** What can be done to many accounts at once. `enroll` is an operation of its own; the others are `changeManyUsers`. */
export const bulkActions = [
  'activate',
  'deactivate',
  'invite',
  'reset_password',
  'end_sessions',
  'enroll',
  'delete',
] as const;
export type BulkAction = (typeof bulkActions)[number];
export type AccountAction = Exclude<BulkAction, 'enroll'>;

/** Accounts that were ticked, or all that match the filter, except those that were unticked since. */
export type Selected =
  | { kind: 'accounts'; accounts: ReadonlyMap<string, Account> }
  | { kind: 'matching'; filter: PeopleFilter; except: ReadonlySet<string>; count: number };

/** What happened to an account, or would happen. */
export interface Outcome {
  id: string;
  name: string | null;
  outcome: 'done' | 'unchanged' | 'refused';
  /** Why; null where the outcome says it all. */
  says: string | null;
  email?: string | undefined;
  password?: string | undefined;
}

export const countOf = (selected: Selected): number =>
  selected.kind === 'accounts' ? selected.accounts.size : selected.count;

/** The most accounts that the service changes in one request. */
export const maxAccounts = 1000;

/** The most accounts that the service lists at once. */
const maxListed = 100;

/** The accounts themselves: those of a filter are asked for by the page. @throws ApiError */
export async function accountsOf(selected: Selected): Promise<ReadonlyMap<string, Account>> {
  if (selected.kind === 'accounts') return selected.accounts;
  const accounts = new Map<string, Account>();
  for (let after: { afterId?: string } = {}; ; ) {
    // Never by the number of the page: an account that leaves the filter meanwhile would move the others forward. When the account
    // that pages follow has left it, the service begins again with the first page.
    const { users } = await call('listUsers', { query: { ...selected.filter, ...after, limit: maxListed } });
    for (const account of users) if (!selected.except.has(account.id)) accounts.set(account.id, account);
    const last = users.at(-1);
    if (last === undefined || users.length < maxListed) return accounts;
    after = { afterId: last.id };
  }
}

/** The accounts that the service is to change. */
type Target = { ids: string[] } | { filter: PeopleFilter };

/** The accounts as the service is told of them: it takes no filter without a condition. @throws ApiError */
export async function targetOf(selected: Selected): Promise<Target> {
  const isFilter = selected.kind === 'matching' && selected.except.size === 0;
  if (isFilter && Object.keys(selected.filter).length > 0) return { filter: selected.filter };
  return { ids: [...(await accountsOf(selected)).keys()] };
}

/** The most trainees that the service enrolls in one request. */
const maxTrainees = 500;

/**
 * Enrolls accounts in a course.
 * @param signal no further request is sent once it is aborted
 * @throws ApiError when nobody was enrolled; a later request that fails becomes the outcome of its trainees
 */
export async function enroll(
  place: Pick<Input<'assignMany'>['body'], 'courseId' | 'whenFull'>,
  accounts: readonly Account[],
  signal: AbortSignal,
  t: TFunction,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let begin = 0; begin < accounts.length && !signal.aborted; begin += maxTrainees) {
    const some = accounts.slice(begin, begin + maxTrainees);
    try {
      const body = { ...place, traineeIds: some.map(({ id }) => id) };
      const { skipped, enrollments } = await call('assignMany', { body });
      const reasons = new Map(skipped.map((one) => [one.traineeId, refusalText(one, t)]));
      const waiting = new Set(enrollments.flatMap(({ status, userId }) => (status === 'waiting' ? [userId] : [])));
      outcomes.push(
        ...some.map((account) => ({
          ...outcomeOf(account, reasons.get(account.id)),
          ...(waiting.has(account.id) && { says: t('enrollments.assign.onList') }),
        })),
      );
    } catch (error) {
      if (begin === 0) throw error;
      outcomes.push(...some.map((account) => outcomeOf(account, messageOf(error, t))));
    }
  }
  return outcomes;
}

/** @param refusal why nothing happens to the account */
export const outcomeOf = ({ id, firstName, lastName, email }: Account, refusal?: string): Outcome => ({
  id,
  name: `${firstName} ${lastName}`,
  email,
  outcome: refusal === undefined ? 'done' : 'refused',
  says: refusal ?? null,
});
