import { presentGroupName } from '../../presenters/group.js';
import { presentSession } from '../../presenters/session.js';
import { presentListedUser, presentUser, presentUserDetails } from '../../presenters/user.js';
import { resetSchema } from '../../schemas/auth.js';
import { userExportSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { changeManyUsers } from '../../services/accounts/bulk.js';
import { createPerson } from '../../services/accounts/create-user.js';
import { deleteUser } from '../../services/accounts/delete-user.js';
import { usersTable } from '../../services/accounts/export.js';
import { resetPassword } from '../../services/accounts/passwords.js';
import { findUsersByEmail, findUserWithDetails, listUsers } from '../../services/accounts/queries.js';
import { endUserSession, endUserSessions, listUserSessions } from '../../services/accounts/sessions.js';
import { changeActivation, unlockUser, updateUser } from '../../services/accounts/update-user.js';
import { lockOf } from '../../services/auth/current-locks.js';
import { mailResetLink } from '../../services/auth/forgotten-password.js';
import { actorOf } from '../../services/core.js';
import { groupsOfUser } from '../../services/groups/queries.js';
import { publicCodeOf, publicMessage } from '../api/failures.js';
import { tableResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';

export const userHandlers = {
  async listUsers({ context, query }) {
    const { items, pagination } = await listUsers(context, query);
    return { users: items.map(presentListedUser), pagination };
  },

  async createUser({ context, caller, body }) {
    const { user, initialPassword } = await createPerson(context, actorOf(caller), body);
    const temporaryPassword = initialPassword ?? null;
    return { message: 'User created successfully.', user: presentUser(user), temporaryPassword };
  },

  async exportUsers({ context, query }) {
    const { format } = validate(userExportSchema, query);
    return tableResponse(usersTable(context, query), 'users', format);
  },

  async findUsersByEmail({ context, body }) {
    const { users, unknown } = await findUsersByEmail(context, body);
    return { users: users.map(presentUser), unknown };
  },

  async showUser({ context, params }) {
    const user = await findUserWithDetails(context, params.id);
    const groups = await groupsOfUser(context, user.id);
    return {
      user: presentUserDetails(user, await lockOf(context, user.id)),
      groups: groups.map(presentGroupName),
    };
  },

  async updateUser({ context, caller, params, body }) {
    const user = await updateUser(context, actorOf(caller), params.id, body);
    return { message: 'User updated successfully.', user: presentUser(user) };
  },

  async deleteUser({ context, caller, params }) {
    await deleteUser(context, actorOf(caller), params.id);
    return { message: 'User deleted successfully.' };
  },

  async changeActivation({ context, caller, params, body }) {
    const user = await changeActivation(context, actorOf(caller), params.id, body);
    const message = `User ${user.isActive ? 'activated' : 'deactivated'} successfully.`;
    return { message, user: presentUser(user) };
  },

  async resetPassword({ context, caller, params, body }) {
    if (validate(resetSchema, body).link) {
      await mailResetLink(context, actorOf(caller), params.id);
      return { message: 'A link to set a password is on its way.', temporaryPassword: null };
    }
    const { temporaryPassword } = await resetPassword(context, actorOf(caller), params.id);
    return { message: 'Password reset successfully.', temporaryPassword };
  },

  async listUserSessions({ context, caller, params, query }) {
    const { items, pagination } = await listUserSessions(context, params.id, query);
    return { sessions: items.map((session) => presentSession(session, caller.sessionId)), pagination };
  },

  async endUserSession({ context, caller, params }) {
    await endUserSession(context, actorOf(caller), params.id, params.sessionId);
    return { message: 'Session ended.' };
  },

  async endUserSessions({ context, caller, params }) {
    const endedCount = await endUserSessions(context, actorOf(caller), params.id);
    return { message: 'All sessions ended.', endedCount };
  },

  async changeManyUsers({ context, caller, body, signal }) {
    const { action, dryRun, outcomes } = await changeManyUsers(context, actorOf(caller), body, { signal });
    const countOf = (name: string) => outcomes.filter(({ outcome }) => outcome === name).length;
    return {
      action,
      dryRun,
      counts: { done: countOf('done'), unchanged: countOf('unchanged'), refused: countOf('refused') },
      outcomes: outcomes.map(({ refusal, ...outcome }) => ({
        ...outcome,
        code: refusal ? publicCodeOf(refusal.code) : null,
        message: refusal ? publicMessage(refusal) : null,
      })),
    };
  },

  async unlockUser({ context, caller, params }) {
    await unlockUser(context, actorOf(caller), params.id);
    return { message: 'User unlocked successfully.' };
  },
} satisfies Partial<Handlers>;
