import type { TFunction } from 'i18next';
import { call, type Input } from '../api/client.js';
import { maxAssigned } from '../enrollments/when-full.js';
import { messageOf, refusalText } from '../ui/messages.js';
import type { Account } from './account-state.js';

/** Bulk actions, the most frequent first. `enroll` calls the operation `assignMany`; the others call `changeManyUsers`. */
export const bulkActions = [
  'enroll',
  'invite',
  'activate',
  'reset_password',
  'end_sessions',
  'deactivate',
  'delete',
] as const;
export type BulkAction = (typeof bulkActions)[number];
export type AccountAction = Exclude<BulkAction, 'enroll'>;

export const isDangerous = (action: BulkAction): boolean => action === 'deactivate' || action === 'delete';

export type SelectedAccounts = ReadonlyMap<string, Account>;

/** Result of an action for one account, or its preview. */
export interface Outcome {
  id: string;
  name: string | null;
  outcome: 'done' | 'unchanged' | 'refused';
  /** Reason of the outcome; null if the outcome says enough. */
  reason: string | null;
  email?: string | undefined;
  password?: string | undefined;
}

/**
 * Enrolls accounts in a course.
 * @param signal stops further requests
 * @throws ApiError if the first request fails. After a later failure, the accounts of that request count as refused.
 */
export async function enroll(
  target: Pick<Input<'assignMany'>['body'], 'courseId' | 'whenFull'>,
  accounts: readonly Account[],
  signal: AbortSignal,
  t: TFunction,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let begin = 0; begin < accounts.length && !signal.aborted; begin += maxAssigned) {
    const chunk = accounts.slice(begin, begin + maxAssigned);
    try {
      const body = { ...target, traineeIds: chunk.map(({ id }) => id) };
      const { skipped, enrollments } = await call('assignMany', { body });
      const reasons = new Map(skipped.map((one) => [one.traineeId, refusalText(one, t)]));
      const waiting = new Set(enrollments.flatMap(({ status, userId }) => (status === 'waiting' ? [userId] : [])));
      outcomes.push(
        ...chunk.map((account) => ({
          ...outcomeOf(account, reasons.get(account.id)),
          ...(waiting.has(account.id) && { reason: t('enrollments.assign.onList') }),
        })),
      );
    } catch (error) {
      if (begin === 0) throw error;
      outcomes.push(...chunk.map((account) => outcomeOf(account, messageOf(error, t))));
    }
  }
  return outcomes;
}

/** @param refusal reason why the account is refused; undefined for success */
export const outcomeOf = ({ id, firstName, lastName, email }: Account, refusal?: string): Outcome => ({
  id,
  name: `${firstName} ${lastName}`,
  email,
  outcome: refusal === undefined ? 'done' : 'refused',
  reason: refusal ?? null,
});
