import type { Session } from '../db/models/session.js';
import type { Account } from '../db/models/user.js';
import { pick } from './pick.js';
import { presentLoginUser } from './user.js';

/** @param currentId session of the request; undefined at the terminal */
export function presentSession(session: Session, currentId: string | undefined) {
  return {
    ...pick(session, ['id', 'createdAt', 'expiresAt', 'ip', 'userAgent']),
    ...(session.lastUsedAt && { lastUsedAt: session.lastUsedAt }),
    current: session.id === currentId,
  };
}

/** Presents the session of the web console. @param today date in the programme's time zone, as `YYYY-MM-DD` */
export const presentWebSession = (user: Account, expiresAt: Date, today: string) => ({
  user: presentLoginUser(user),
  requiresPasswordChange: user.requiresPasswordChange,
  expiresAt,
  today,
});
