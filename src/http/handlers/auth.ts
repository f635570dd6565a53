import * as present from '../../presenters/present.js';
import { updateProfile } from '../../services/accounts/profile.js';
import { registerUser } from '../../services/accounts/queries.js';
import { completeSetup, setupStatus } from '../../services/accounts/setup.js';
import { changeFirstPassword, changePassword, login } from '../../services/auth/login.js';
import { actorOf } from '../../services/core.js';
import { currentEnrollments } from '../../services/enrollments/queries.js';
import type { Handlers } from '../server/router.js';

export const authHandlers = {
  setupStatus: ({ context }) => setupStatus(context),

  async setup({ context, body, client }) {
    const { user, token } = await completeSetup(context, body, client);
    return { message: 'Setup completed successfully.', token, user: present.setupUser(user) };
  },

  async login({ context, body, client }) {
    const { user, token } = await login(context, body, client);
    return { token, user: present.loginUser(user) };
  },

  async traineeLogin({ context, body, client }) {
    const { user, token } = await login(context, body, client, 'trainee');
    return { token, user: present.loginUser(user) };
  },

  async register({ context, caller, body }) {
    const user = await registerUser(context, actorOf(caller), body);
    return { message: 'User created successfully.', user: present.registeredUser(user) };
  },

  me: async ({ caller }) => ({ user: present.ownUser(caller.user) }),

  async updateProfile({ context, caller, body }) {
    const user = await updateProfile(context, caller, body);
    return { message: 'Profile updated successfully.', user: present.profileUser(user) };
  },

  async changePassword({ context, caller, body }) {
    await changePassword(context, caller, body);
    return { message: 'Password changed successfully.' };
  },

  async changeFirstPassword({ context, caller, body }) {
    const user = await changeFirstPassword(context, caller, body);
    return { message: 'Password changed successfully.', user: present.firstPasswordChangeUser(user) };
  },

  async checkEnrollment({ context, caller }) {
    const enrollments = await currentEnrollments(context, caller);
    return { hasEnrollments: enrollments.length > 0, enrollments: enrollments.map(present.currentEnrollment) };
  },
} satisfies Partial<Handlers>;
