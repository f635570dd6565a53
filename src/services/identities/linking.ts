import type { Transaction } from 'sequelize';
import type { Identity } from '../../db/models/identity.js';
import type { User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import { applyEffects } from '../accounts/apply-effects.js';
import { lockUnchangedUser } from '../accounts/change-user.js';
import { findUserById } from '../accounts/queries.js';
import { recordAudit } from '../audit/audit.js';
import { lockCaller } from '../auth/sessions.js';
import { type Actor, actorOf, type Caller, type Client, type Core } from '../core.js';
import { usesPassword } from '../password-login.js';
import type { Person } from './person.js';
import { addIdentity, auditedIdentity } from './sign-in.js';
import { type LinkingAccount, passwordDigest } from './state.js';

/** Returns the identities of an account, oldest first. @throws AppError `NOT_FOUND` */
export async function listIdentities(core: Core, userId: string): Promise<Identity[]> {
  await findUserById(core, userId);
  const order: [string, string][] = [
    ['createdAt', 'ASC'],
    ['id', 'ASC'],
  ];
  return core.database.read(() => core.database.models.Identity.findAll({ where: { userId }, order }));
}

/** Whether the person can sign in with a password of their own. */
const hasPasswordLogin = (core: Core, { hasPassword, role }: User) => hasPassword && usesPassword(core, role);

/** Returns the caller's identities, and whether the caller can also sign in with a password. */
export async function ownIdentities(
  core: Core,
  { user }: Caller,
): Promise<{ identities: Identity[]; hasPassword: boolean }> {
  const hasPassword = hasPasswordLogin(core, await findUserById(core, user.id));
  return { identities: await listIdentities(core, user.id), hasPassword };
}

/**
 * Links an identity to the account that has begun the linking. The account must still have the session and the password of
 * that moment.
 * @throws AppError `OIDC_STATE_INVALID`, `IDENTITY_TAKEN`
 */
export async function linkIdentity(
  core: Core,
  { account, session, password }: LinkingAccount,
  person: Person,
  { ip }: Client,
): Promise<void> {
  const { User, Session, Identity } = core.database.models;
  await core.database.inTransaction(async (transaction) => {
    const user = await User.findByPk(account, { transaction, lock: transaction.LOCK.UPDATE });
    const open = await Session.findOne({ where: { id: session, userId: account }, transaction });
    const isOpen = open !== null && open.expiresAt > core.now();
    if (!user?.isActive || !isOpen || passwordDigest(user.passwordHash) !== password)
      throw new AppError('OIDC_STATE_INVALID');
    const { issuer, subject } = person;
    const linked = await Identity.findOne({ where: { issuer, subject }, transaction });
    if (linked?.userId === user.id) return;
    if (linked) throw new AppError('IDENTITY_TAKEN');
    const actor: Actor = { origin: 'http', actorId: user.id, role: user.role, ip, sessionId: session };
    await addIdentity(core, user, person, { linkedBy: 'owner', actor }, transaction);
  });
}

/** Removes an identity of the caller. Ends other sessions. @throws AppError `TOKEN_INVALID`, `NOT_FOUND`, `IDENTITY_LAST` */
export async function removeOwnIdentity(core: Core, caller: Caller, identityId: string): Promise<void> {
  await core.database.inTransaction(async (transaction) => {
    const user = await lockCaller(core, caller, transaction);
    const identities = await core.database.models.Identity.count({ where: { userId: user.id }, transaction });
    const identity = await findIdentity(core, user, identityId, transaction);
    if (!hasPasswordLogin(core, user) && identities === 1) throw new AppError('IDENTITY_LAST');
    const keptSessionId = caller.sessionId;
    await removeIdentity(core, user, identity, { actor: actorOf(caller), keptSessionId }, transaction);
  });
}

/**
 * Removes an identity of an account, and ends the account's sessions.
 * @returns the removed identity
 * @throws AppError `NOT_FOUND`
 */
export async function removeUserIdentity(core: Core, actor: Actor, id: string, identityId: string): Promise<Identity> {
  return core.database.inTransaction(async (transaction) => {
    const user = await lockUnchangedUser(core, id, transaction);
    const identity = await findIdentity(core, user, identityId, transaction);
    await removeIdentity(core, user, identity, { actor }, transaction);
    return identity;
  });
}

async function findIdentity({ database }: Core, { id: userId }: User, id: string, transaction: Transaction) {
  const identity = await database.models.Identity.findOne({ where: { id, userId }, transaction });
  if (!identity) throw notFound('Identity');
  return identity;
}

async function removeIdentity(
  core: Core,
  user: User,
  identity: Identity,
  { actor, keptSessionId }: { actor: Actor; keptSessionId?: string },
  transaction: Transaction,
): Promise<void> {
  const record = { action: 'user.unlink', targetType: 'user', targetId: user.id } as const;
  await recordAudit(core, actor, { ...record, before: auditedIdentity(identity) }, transaction);
  const cause = { action: record.action, actor, ...(keptSessionId !== undefined && { keptSessionId }) };
  await applyEffects(core, [{ before: user, after: user, cause }], transaction);
  await identity.destroy({ transaction });
}
