import { presentSession, presentWebSession } from '../../presenters/session.js';
import { endAllSessions } from '../../services/accounts/sessions.js';
import { login } from '../../services/auth/login.js';
import { mustChangePassword } from '../../services/auth/permissions.js';
import { endOwnSession, endSession, endSessionOfToken, listSessions } from '../../services/auth/sessions.js';
import { today } from '../../services/dates.js';
import { signOutUrl } from '../../services/identities/flow.js';
import type { Handlers } from '../routing/handler.js';

export const sessionHandlers = {
  async startWebSession({ context, body, client, cookie, signal }) {
    const { user, token, expiresAt } = await login(context, body, client, { signal });
    // Ends the previous session, because the browser replaces its token.
    if (cookie.token !== undefined)
      await endSessionOfToken(context, cookie.token).catch((error: unknown) =>
        context.logger.warn({ err: error }, 'the session that a login has replaced is still open'),
      );
    cookie.set(token);
    return presentWebSession(user, {
      method: 'password',
      requiresPasswordChange: user.requiresPasswordChange,
      expiresAt,
      today: today(context),
    });
  },

  showWebSession: async ({ context, caller }) =>
    presentWebSession(caller.user, {
      method: caller.method,
      requiresPasswordChange: mustChangePassword(caller),
      expiresAt: caller.sessionExpiresAt,
      today: today(context),
    }),

  async endWebSession({ context, cookie, withoutSlot }) {
    const method = cookie.token === undefined ? undefined : await endSessionOfToken(context, cookie.token);
    cookie.clear();
    const url = method === 'oidc' ? await withoutSlot(() => signOutUrl(context)) : undefined;
    return { message: 'Logged out successfully.', signOutUrl: url ?? null };
  },

  async logout({ context, caller }) {
    await endOwnSession(context, caller);
    return { message: 'Logged out successfully.' };
  },

  async logoutAll({ context, caller }) {
    await endAllSessions(context, caller);
    return { message: 'Logged out of all sessions.' };
  },

  async listSessions({ context, caller, query }) {
    const { items, pagination } = await listSessions(context, caller, query);
    return { sessions: items.map((session) => presentSession(session, caller.sessionId)), pagination };
  },

  async endSession({ context, caller, params }) {
    await endSession(context, caller, params.id);
    return { message: 'Session ended.' };
  },
} satisfies Partial<Handlers>;
