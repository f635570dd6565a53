import { cancelEmail, confirmEmail } from '../../services/accounts/change-email.js';
import { checkLink, setPassword } from '../../services/accounts/passwords.js';
import { forgotPassword } from '../../services/auth/forgotten-password.js';
import { isMailSetUp } from '../../services/mail/outbox.js';
import type { Handlers } from '../routing/handler.js';

export const linkHandlers = {
  checkLink: ({ context, body, client }) => checkLink(context, body, client),

  async setPassword({ context, body, client, signal }) {
    await setPassword(context, body, client, signal);
    return { message: 'Password set successfully.' };
  },

  async confirmEmail({ context, body, client }) {
    const email = await confirmEmail(context, body, client);
    return { message: 'Email changed successfully.', email };
  },

  async cancelEmail({ context, body, client }) {
    const restored = await cancelEmail(context, body, client);
    return { message: 'Change of email cancelled.', restored };
  },

  showForgotPassword: async ({ context }) => ({ available: isMailSetUp(context) }),

  async forgotPassword({ context, body, client }) {
    await forgotPassword(context, body, client);
    return { message: 'If there is an account with this email or phone, a link is on its way to its email.' };
  },
} satisfies Partial<Handlers>;
