import { Op, type Transaction } from 'sequelize';
import type { Session } from '../../db/models/session.js';
import { notFound } from '../../errors.js';
import { sessionListingSchema } from '../../schemas/auth.js';
import { validate } from '../../schemas/validate.js';
import { type AuditRecord, auditedSession, recordAudit } from '../audit/audit.js';
import { endSessions, newestFirst } from '../auth/sessions.js';
import type { Actor, Core } from '../core.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { type Page, pageOf } from '../paging.js';
import { findUserById } from './queries.js';

/** The sessions of an account that have not expired. */
const openSessions = (core: Core, userId: string) => ({ userId, expiresAt: { [Op.gt]: core.now() } });

/** A page of an account's sessions that have not expired, newest first. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function listUserSessions(core: Core, id: string, query: unknown): Promise<Page<Session>> {
  const listing = validate(sessionListingSchema, query);
  return pageOf(core, core.database.models.Session, listing, {
    where: openSessions(core, id),
    order: newestFirst,
    ifNone: async () => void (await findUserById(core, id)),
  });
}

/** A change of an account's sessions that is to be made. */
interface Ending<T> {
  result: T;
  record?: Pick<AuditRecord<'user'>, 'action' | 'before'>;
  end(): Promise<void>;
}

/**
 * Runs a change of an account's sessions in a transaction, in which no login starts another one.
 * @param change gives the audit entry, unless nothing changes, and ends the sessions once that is written
 * @throws AppError `NOT_FOUND`
 */
async function changeSessions<T>(
  core: Core,
  actor: Actor,
  id: string,
  change: (transaction: Transaction) => Promise<Ending<T>>,
): Promise<T> {
  return core.database.inTransaction(async (transaction) => {
    // A deleted account gets no more audit entries.
    if ((await forceIncrementUserVersions(core, [id], transaction)).length === 0) throw notFound('User');
    const { result, record, end } = await change(transaction);
    if (record) await recordAudit(core, actor, { ...record, targetType: 'user', targetId: id }, transaction);
    await end();
    return result;
  });
}

/** Ends one session of an account. @throws AppError `NOT_FOUND`, for a session of another account too */
export async function endUserSession(core: Core, actor: Actor, id: string, sessionId: string): Promise<Session> {
  return changeSessions(core, actor, id, async (transaction) => {
    const where = { ...openSessions(core, id), id: sessionId };
    const session = await core.database.models.Session.findOne({ where, transaction });
    if (!session) throw notFound('Session');
    return {
      result: session,
      record: { action: 'user.end-session', before: auditedSession(session) },
      end: () => session.destroy({ transaction }),
    };
  });
}

/** Ends all sessions of an account. @returns how many @throws AppError `NOT_FOUND` */
export async function endUserSessions(core: Core, actor: Actor, id: string): Promise<number> {
  return changeSessions(core, actor, id, async (transaction) => {
    const sessions = await core.database.models.Session.count({ where: openSessions(core, id), transaction });
    const end = () => endSessions(core, id, transaction);
    if (sessions === 0) return { result: 0, end };
    return { result: sessions, record: { action: 'user.end-sessions', before: { sessions } }, end };
  });
}
