import type { Session } from '../db/models/session.js';
import type { Account } from '../db/models/user.js';
import type { SignInMethod } from '../schemas/identity.js';
import { pick } from './pick.js';
import { presentLoginUser } from './user.js';

/** @param currentId session of the request; undefined at the terminal */
export function presentSession(session: Session, currentId: string | undefined) {
  return {
    ...pick(session, ['id', 'method', 'createdAt', 'expiresAt', 'ip', 'userAgent']),
    ...(session.lastUsedAt && { lastUsedAt: session.lastUsedAt }),
    current: session.id === currentId,
  };
}

/** State of a session of the web console, besides its account. */
interface WebSession {
  method: SignInMethod;
  /** Whether the initial password must be changed first. */
  requiresPasswordChange: boolean;
  expiresAt: Date;
  /** Date in the programme's time zone, as `YYYY-MM-DD`. */
  today: string;
}

export const presentWebSession = (user: Account, session: WebSession) => ({ user: presentLoginUser(user), ...session });
