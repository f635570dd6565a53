import { presentGroupName } from '../../../presenters/group.js';
import { findUser } from '../../../services/accounts/queries.js';
import { operator } from '../../../services/core.js';
import { changeMembers } from '../../../services/groups/members.js';
import { previewMembers } from '../../../services/groups/preview.js';
import { findGroupByName } from '../../../services/groups/queries.js';
import { runBulk } from '../../core/bulk/bulk.js';
import type { BulkItem, BulkWording } from '../../core/bulk/bulk-plan.js';
import type { Result, Run } from '../../core/command/run.js';
import { accountJson } from '../users/output.js';
import { resolveAccounts } from '../users/selection.js';
import type { memberOptions } from './options.js';

const wordings = {
  add: { singular: 'account', toDo: 'add', doing: 'Adding', done: 'added', state: 'added', unchanged: 'in the group' },
  remove: {
    singular: 'account',
    toDo: 'remove',
    doing: 'Removing',
    done: 'removed',
    state: 'removed',
    unchanged: 'out of the group',
  },
} as const satisfies Record<string, BulkWording>;

const states = {
  add: { done: 'is in', unchanged: 'is already in' },
  remove: { done: 'is no longer in', unchanged: 'is not in' },
} as const;

/** Accounts per call of the service. */
const batchSize = 1000;

/**
 * Adds people to a group, or removes them.
 * @throws AppError `NOT_FOUND` for the group, the errors of {@link resolveAccounts}, and for a single account
 *   `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`, `GROUP_LIMIT`
 */
export async function change(
  run: Run<'<group> [user...]', typeof memberOptions>,
  action: 'add' | 'remove',
): Promise<Result> {
  const targets = await resolveAccounts(run, wordings[action]);
  const context = await run.context();
  const group = await findGroupByName(context, run.arguments.group);
  const changeAll = (ids: readonly string[]) => changeMembers(context, operator, group.id, { [action]: ids });
  const named = `"${group.name}"`;
  if (targets.kind === 'one') {
    const user = await findUser(context, targets.name);
    const [changed] = await changeAll([user.id]);
    if (changed?.refusal) throw changed.refusal;
    const state = states[action][changed?.outcome === 'unchanged' ? 'unchanged' : 'done'];
    return {
      json: { group: presentGroupName(group), user: accountJson(user) },
      text: `${user.email} ${state} ${named}.`,
    };
  }
  const idsOf = (items: readonly BulkItem[]) => items.map(({ id }) => id);
  return runBulk(run, {
    wording: { ...wordings[action], target: ` ${action === 'add' ? 'to' : 'from'} ${named}` },
    selection: await targets.selection(context, action === 'remove' ? { group: group.id } : {}),
    batchSize,
    preview: (items) => previewMembers(context, group.id, action, idsOf(items)),
    async change(items) {
      const outcomes = await changeAll(idsOf(items));
      return { results: outcomes.map(({ outcome, refusal }) => ({ outcome, ...(refusal && { refusal }) })) };
    },
  });
}
