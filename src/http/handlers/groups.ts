import { presentGroup, presentGroupDetails } from '../../presenters/group.js';
import { actorOf } from '../../services/core.js';
import { createGroup, deleteGroup, updateGroup } from '../../services/groups/commands.js';
import { changeMembers } from '../../services/groups/members.js';
import { findGroup, listGroups } from '../../services/groups/queries.js';
import { publicCodeOf, publicMessage } from '../api/failures.js';
import type { Handlers } from '../routing/handler.js';

export const groupHandlers = {
  async listGroups({ context, query }) {
    const { items, pagination } = await listGroups(context, query);
    return { groups: items.map(presentGroup), pagination };
  },

  async createGroup({ context, caller, body }) {
    const group = await createGroup(context, actorOf(caller), body);
    return { message: 'Group created successfully.', group: presentGroupDetails(group) };
  },

  async showGroup({ context, params }) {
    return { group: presentGroupDetails(await findGroup(context, params.id)) };
  },

  async updateGroup({ context, caller, params, body }) {
    const group = await updateGroup(context, actorOf(caller), params.id, body);
    return { message: 'Group updated successfully.', group: presentGroupDetails(group) };
  },

  async deleteGroup({ context, caller, params }) {
    await deleteGroup(context, actorOf(caller), params.id);
    return { message: 'Group deleted successfully.' };
  },

  async changeMembers({ context, caller, params, body }) {
    const outcomes = await changeMembers(context, actorOf(caller), params.id, body);
    const countOf = (name: string) => outcomes.filter(({ outcome }) => outcome === name).length;
    return {
      counts: { done: countOf('done'), unchanged: countOf('unchanged'), refused: countOf('refused') },
      outcomes: outcomes.map(({ userId: id, user, change, outcome, refusal }) => ({
        id,
        name: user ? `${user.firstName} ${user.lastName}` : null,
        change,
        outcome,
        code: refusal ? publicCodeOf(refusal.code) : null,
        message: refusal ? publicMessage(refusal) : null,
      })),
    };
  },
} satisfies Partial<Handlers>;
