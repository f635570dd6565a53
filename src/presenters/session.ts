import type { Session } from '../db/models/session.js';
import { pick } from './pick.js';

/** @param currentId the session that the request belongs to */
export function presentSession(session: Session, currentId: string) {
  return {
    ...pick(session, ['id', 'createdAt', 'expiresAt', 'ip', 'userAgent']),
    ...(session.lastUsedAt && { lastUsedAt: session.lastUsedAt }),
    current: session.id === currentId,
  };
}
