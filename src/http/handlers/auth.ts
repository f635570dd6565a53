import { presentCurrentEnrollment } from '../../presenters/enrollment.js';
import {
  presentFirstPasswordChangeUser,
  presentLoginUser,
  presentOwnUser,
  presentProfileUser,
  presentRegisteredUser,
  presentSetupUser,
} from '../../presenters/user.js';
import { requestEmailChange } from '../../services/accounts/change-email.js';
import { registerUser } from '../../services/accounts/create-user.js';
import { changeMailPreferences, mailPreferences } from '../../services/accounts/mail-preferences.js';
import { changeFirstPassword, changePassword } from '../../services/accounts/passwords.js';
import { updateProfile } from '../../services/accounts/profile.js';
import { completeSetup, setupStatus } from '../../services/accounts/setup.js';
import { login } from '../../services/auth/login.js';
import { actorOf } from '../../services/core.js';
import {
  createCalendar,
  privateCalendar,
  revokeCalendar,
  showCalendar,
} from '../../services/courses/private-calendar.js';
import { currentEnrollmentIds, currentEnrollments } from '../../services/enrollments/queries.js';
import { textResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';

export const authHandlers = {
  setupStatus: ({ context }) => setupStatus(context),

  async setup({ context, body, client }) {
    const { user, token } = await completeSetup(context, body, client);
    return { message: 'Setup completed successfully.', token, user: presentSetupUser(user) };
  },

  async login({ context, body, client, signal }) {
    const { user, token } = await login(context, body, client, { signal });
    return { token, user: presentLoginUser(user) };
  },

  async traineeLogin({ context, body, client, signal }) {
    const { user, token } = await login(context, body, client, { role: 'trainee', signal });
    return { token, user: presentLoginUser(user) };
  },

  async register({ context, caller, body }) {
    const user = await registerUser(context, actorOf(caller), body);
    return { message: 'User created successfully.', user: presentRegisteredUser(user) };
  },

  me: async ({ caller }) => ({ user: presentOwnUser(caller.user) }),

  async updateProfile({ context, caller, body }) {
    const user = await updateProfile(context, caller, body);
    return { message: 'Profile updated successfully.', user: presentProfileUser(user) };
  },

  showMailPreferences: ({ context, caller }) => mailPreferences(context, caller),

  changeMailPreferences: ({ context, caller, body }) => changeMailPreferences(context, caller, body),

  showCalendar: ({ context, caller }) => showCalendar(context, caller),

  async createCalendar({ context, caller }) {
    const { publicUrl = '' } = context.config.mail;
    const url = `${publicUrl}/api/calendars/${await createCalendar(context, caller)}.ics`;
    return { message: 'Calendar address created successfully.', url };
  },

  async revokeCalendar({ context, caller }) {
    await revokeCalendar(context, caller);
    return { message: 'Calendar address revoked successfully.' };
  },

  privateCalendar: async ({ context, params }) => textResponse(await privateCalendar(context, params.key)),

  async changePassword({ context, caller, body }) {
    await changePassword(context, caller, body);
    return { message: 'Password changed successfully.' };
  },

  async changeFirstPassword({ context, caller, body }) {
    const user = await changeFirstPassword(context, caller, body);
    return { message: 'Password changed successfully.', user: presentFirstPasswordChangeUser(user) };
  },

  async requestEmailChange({ context, caller, body }) {
    await requestEmailChange(context, caller, body);
    return { message: 'A link was sent to the new email, unless it belongs to another account.' };
  },

  async checkEnrollment({ context, caller, reserveMemory }) {
    const ids = await currentEnrollmentIds(context, caller.user.id);
    await reserveMemory(ids.length);
    const enrollments = currentEnrollments(context, ids);
    // All of these enrollments may have been removed after their ids were read.
    const first = await enrollments.next();
    async function* presented() {
      if (first.done) return;
      yield presentCurrentEnrollment(first.value);
      for await (const enrollment of enrollments) yield presentCurrentEnrollment(enrollment);
    }
    return { hasEnrollments: !first.done, enrollments: presented() };
  },
} satisfies Partial<Handlers>;
