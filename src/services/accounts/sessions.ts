import { Op } from 'sequelize';
import type { Session } from '../../db/models/session.js';
import { notFound } from '../../errors.js';
import { sessionListingSchema } from '../../schemas/auth.js';
import { validate } from '../../schemas/validate.js';
import { auditedSession, recordAudit } from '../audit/audit.js';
import { newestFirst } from '../auth/sessions.js';
import { type Actor, actorOf, type Caller, type Core } from '../core.js';
import { type Page, readPage } from '../paging.js';
import { applyEffects } from './apply-effects.js';
import { lockUnchangedUser } from './change-user.js';
import { findUserById } from './queries.js';

/** Matches the unexpired sessions of an account. */
const openSessions = (core: Core, userId: string) => ({ userId, expiresAt: { [Op.gt]: core.now() } });

/** Returns a page of an account's unexpired sessions, newest first. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function listUserSessions(core: Core, id: string, query: unknown): Promise<Page<Session>> {
  const listing = validate(sessionListingSchema, query);
  return readPage(core, core.database.models.Session, listing, {
    where: openSessions(core, id),
    order: newestFirst,
    ifNone: async () => void (await findUserById(core, id)),
  });
}

/** Ends one session of an account. @throws AppError `NOT_FOUND`, also for a session of another account */
export async function endUserSession(core: Core, actor: Actor, id: string, sessionId: string): Promise<Session> {
  return core.database.inTransaction(async (transaction) => {
    await lockUnchangedUser(core, id, transaction);
    const where = { ...openSessions(core, id), id: sessionId };
    const session = await core.database.models.Session.findOne({ where, transaction });
    if (!session) throw notFound('Session');
    const record = { action: 'user.end-session', targetType: 'user', targetId: id } as const;
    await recordAudit(core, actor, { ...record, before: auditedSession(session) }, transaction);
    await session.destroy({ transaction });
    return session;
  });
}

/** Ends all sessions of an account. @returns the number of ended sessions @throws AppError `NOT_FOUND` */
export async function endUserSessions(core: Core, actor: Actor, id: string): Promise<number> {
  return core.database.inTransaction(async (transaction) => {
    const user = await lockUnchangedUser(core, id, transaction);
    const sessions = await core.database.models.Session.count({ where: openSessions(core, id), transaction });
    const record = { action: 'user.end-sessions', targetType: 'user', targetId: id, before: { sessions } } as const;
    if (sessions > 0) await recordAudit(core, actor, record, transaction);
    await applyEffects(core, [{ before: user, after: user, cause: { action: record.action, actor } }], transaction);
    return sessions;
  });
}

/** Ends all sessions of the caller's account. */
export async function endAllSessions(core: Core, caller: Caller): Promise<void> {
  const cause = { action: 'own.sessions', actor: actorOf(caller) } as const;
  await core.database.inTransaction((transaction) =>
    applyEffects(core, [{ before: caller.user, after: caller.user, cause }], transaction),
  );
}
