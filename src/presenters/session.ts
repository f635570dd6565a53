import type { Session } from '../db/models/session.js';
import type { Account } from '../db/models/user.js';
import { pick } from './pick.js';
import { presentLoginUser } from './user.js';

/** @param currentId the session that the request belongs to; none at the terminal */
export function presentSession(session: Session, currentId: string | undefined) {
  return {
    ...pick(session, ['id', 'createdAt', 'expiresAt', 'ip', 'userAgent']),
    ...(session.lastUsedAt && { lastUsedAt: session.lastUsedAt }),
    current: session.id === currentId,
  };
}

/** Who is signed in to the web console, until when, and what day it is for the programme, as `YYYY-MM-DD`. */
export const presentWebSession = (user: Account, expiresAt: Date, today: string) => ({
  user: presentLoginUser(user),
  requiresPasswordChange: user.requiresPasswordChange,
  expiresAt,
  today,
});
