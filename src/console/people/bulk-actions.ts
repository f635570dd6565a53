import type { Account } from './account-state.js';

/** Bulk actions, the most frequent first. Only {@link AccountAction}s call the operation `changeManyUsers`. */
export const bulkActions = [
  'enroll',
  'remove_from_group',
  'invite',
  'add_to_group',
  'activate',
  'reset_password',
  'end_sessions',
  'deactivate',
  'delete',
] as const;
export type BulkAction = (typeof bulkActions)[number];
export type AccountAction = Exclude<BulkAction, 'enroll' | 'add_to_group' | 'remove_from_group'>;

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

/** @param refusal reason why the account is refused; undefined for success */
export const outcomeOf = ({ id, firstName, lastName, email }: Account, refusal?: string): Outcome => ({
  id,
  name: `${firstName} ${lastName}`,
  email,
  outcome: refusal === undefined ? 'done' : 'refused',
  reason: refusal ?? null,
});
