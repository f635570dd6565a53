import { Op, type Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Session } from '../../db/models/session.js';
import type { Account, User } from '../../db/models/user.js';
import { isBeyondNewest } from '../../db/sql/conditions.js';
import { insertRows } from '../../db/sql/insert.js';
import type { Order } from '../../db/sql/page.js';
import { findSession, type SessionWithUser } from '../../db/sql/session-query.js';
import { AppError, notFound } from '../../errors.js';
import { sessionListingSchema } from '../../schemas/auth.js';
import type { SignInMethod } from '../../schemas/identity.js';
import { validate } from '../../schemas/validate.js';
import type { Actor, Caller, Client, Core } from '../core.js';
import { type Page, readPage } from '../paging.js';
import { recordUse } from './last-use.js';

/** Sessions per transaction of the cleanup. Larger transactions would delay logins. */
const sweepBatch = 1000;

export const newestFirst: Order = [
  ['createdAt', 'DESC'],
  ['id', 'DESC'],
];

/** Longest session of the organisation's sign-in, in seconds: after that, people who have left can't get in any more. */
const longestOidcSession = 12 * 60 * 60;

/** Token of a new session, and the expiry of both. */
export interface StartedSession {
  token: string;
  expiresAt: Date;
}

/**
 * Starts a session in the caller's transaction, and ends the oldest sessions of an account with too many. The caller has locked the
 * account, unless it is new.
 */
export async function startSession(
  core: Core,
  user: User,
  client: Client,
  transaction: Transaction,
  method: SignInMethod = 'password',
): Promise<StartedSession> {
  const createdAt = core.now();
  const { tokenLifetimeSeconds } = core.config.auth;
  const seconds = method === 'oidc' ? Math.min(tokenLifetimeSeconds, longestOidcSession) : tokenLifetimeSeconds;
  const expiresAt = new Date(createdAt.getTime() + seconds * 1000);
  const userAgent = client.userAgent?.slice(0, 255) ?? null;
  const session = { id: uuidv7(), userId: user.id, method, createdAt, expiresAt, ip: client.ip, userAgent };
  await insertRows(core.database.models.Session, [session], transaction);
  await endOldest(core, user.id, session.id, transaction);
  const tokens = await core.tokens;
  return { token: tokens.issue({ userId: user.id, sid: session.id }, createdAt, expiresAt), expiresAt };
}

/** Ends the oldest sessions beyond the limit, but never the new one, even if another instance's clock is ahead. */
async function endOldest(core: Core, userId: string, newestId: string, transaction: Transaction): Promise<void> {
  const { database, config } = core;
  const isSurplus = isBeyondNewest(database.sequelize, { userId, newestId, most: config.auth.maxSessions });
  await database.models.Session.destroy({ where: isSurplus, transaction });
}

/** Whether the session of a token was committed. */
export async function sessionExists(core: Core, token: string): Promise<boolean> {
  const claims = (await core.tokens).verify(token, core.now());
  return claims !== undefined && (await core.database.models.Session.findByPk(claims.sid)) !== null;
}

/**
 * Locks the caller's account for a change to the account itself. Checks the session again, because it may have ended since the
 * authentication.
 * @throws AppError `TOKEN_INVALID`
 */
export async function lockCaller(core: Core, { user, sessionId }: Caller, transaction: Transaction): Promise<User> {
  const { Session, User } = core.database.models;
  const account = await User.findByPk(user.id, { transaction, lock: transaction.LOCK.UPDATE });
  const session = account && (await Session.findByPk(sessionId, { attributes: ['id'], transaction }));
  if (!account?.isActive || !session) throw new AppError('TOKEN_INVALID');
  return account;
}

/**
 * Refuses a caller whose account was deleted, deactivated or got another role: each of these ends sessions.
 * @param account the caller's locked account; null if it was deleted or has another role
 * @throws AppError `TOKEN_INVALID`
 */
export function assertActive(account: Pick<User, 'isActive'> | null): void {
  if (!account?.isActive) throw new AppError('TOKEN_INVALID');
}

/**
 * Returns the caller of a token. Queries the database every time, by primary keys, so that deactivation and revocation take effect
 * at the next request on every instance.
 * @throws AppError `TOKEN_INVALID`
 */
export async function authenticate(core: Core, token: string, client: Client): Promise<Caller> {
  const now = core.now();
  const claims = (await core.tokens).verify(token, now);
  if (!claims) throw new AppError('TOKEN_INVALID');
  const session = await findOpenSession(core, claims.sid, claims.userId);
  if (!session) throw new AppError('TOKEN_INVALID');
  await recordUse(core, session, now);
  const { user, id: sessionId, expiresAt: sessionExpiresAt, method } = session;
  return { ...client, user, sessionId, sessionExpiresAt, method };
}

/** Returns an unexpired session with its active account, if any. */
async function findOpenSession(
  { database, now }: Core,
  id: string,
  userId: string,
): Promise<SessionWithUser | undefined> {
  const session = await database.read(() => findSession(database, id, userId));
  return session?.user.isActive && session.expiresAt > now() ? session : undefined;
}

/** Whether a caller is still signed in; for long requests. */
export async function isSignedIn(
  core: Core,
  { sessionId, user }: Pick<Caller, 'sessionId'> & { user: Pick<Account, 'id'> },
): Promise<boolean> {
  return (await findOpenSession(core, sessionId, user.id)) !== undefined;
}

/**
 * Asserts that a caller of the API is still signed in, between the steps of a long operation. After a sign-out, for example because
 * the token was stolen, the operation must change nothing more. The operator at the terminal has no session.
 * @throws AppError `TOKEN_INVALID`
 */
export async function assertStillSignedIn(core: Core, { sessionId, actorId }: Actor): Promise<void> {
  if (sessionId === undefined || actorId === null) return;
  if (!(await isSignedIn(core, { sessionId, user: { id: actorId } }))) throw new AppError('TOKEN_INVALID');
}

/** Returns a page of the caller's unexpired sessions, newest first. @throws AppError `VALIDATION` */
export async function listSessions(core: Core, caller: Caller, query: unknown): Promise<Page<Session>> {
  const where = { userId: caller.user.id, expiresAt: { [Op.gt]: core.now() } };
  return readPage(core, core.database.models.Session, validate(sessionListingSchema, query), {
    where,
    order: newestFirst,
  });
}

/** @returns whether the account had this session */
async function removeSession(core: Core, userId: string, id: string): Promise<boolean> {
  const removed = await core.database.inTransaction((transaction) =>
    core.database.models.Session.destroy({ where: { id, userId }, transaction }),
  );
  return removed > 0;
}

/** Ends one of the caller's sessions. @throws AppError `NOT_FOUND`, also for another account's sessions */
export async function endSession(core: Core, caller: Caller, sessionId: string): Promise<void> {
  if (!(await removeSession(core, caller.user.id, sessionId))) throw notFound('Session');
}

/** Ends the caller's current session. Succeeds also if another request has ended it. */
export async function endOwnSession(core: Core, caller: Caller): Promise<void> {
  await removeSession(core, caller.user.id, caller.sessionId);
}

/**
 * Ends the session of a token, if any. Ignores invalid tokens.
 * @returns how the session began; undefined without a session
 */
export async function endSessionOfToken(core: Core, token: string): Promise<SignInMethod | undefined> {
  const claims = (await core.tokens).verify(token, core.now());
  if (!claims) return undefined;
  const session = await core.database.read(() => findSession(core.database, claims.sid, claims.userId));
  await removeSession(core, claims.userId, claims.sid);
  return session?.method;
}

/** Deletes expired sessions. @returns the number of deleted sessions */
export async function sweepSessions(core: Core, signal?: AbortSignal): Promise<number> {
  const { Session } = core.database.models;
  let removed = 0;
  do {
    const expired = await core.database.read(() =>
      Session.findAll({
        attributes: ['id'],
        where: { expiresAt: { [Op.lte]: core.now() } },
        limit: sweepBatch,
      }),
    );
    if (expired.length === 0) return removed;
    const ids = expired.map(({ id }) => id);
    removed += await core.database.inTransaction((transaction) => Session.destroy({ where: { id: ids }, transaction }));
  } while (!signal?.aborted);
  return removed;
}
