import { presentSession } from '../../presenters/session.js';
import { endAllSessions, endOwnSession, endSession, listSessions } from '../../services/auth/sessions.js';
import type { Handlers } from '../server/router.js';

export const sessionHandlers = {
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
