import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { notFound } from '../../errors.js';
import { type AuditRecord, auditedUser, changesBetween, recordAudit } from '../audit/audit.js';
import { endSessions } from '../auth/sessions.js';
import type { Actor, Core } from '../core.js';
import { endAllLinks, endLinks } from '../mail/links.js';
import { queueMails } from '../mail/outbox.js';
import { applyRenames } from './words.js';

/** A change of an account, and what the audit log calls it. */
interface UserChange {
  action: AuditRecord<'user'>['action'];
  apply(user: User, transaction: Transaction): void | Promise<void>;
}

/** After these the account must sign in again, even where no audited field has changed. */
const newLogins: readonly UserChange['action'][] = ['user.reset-password', 'user.confirm-email', 'user.cancel-email'];

/** @throws AppError `NOT_FOUND` */
export async function lockUser(core: Core, id: string, transaction: Transaction): Promise<User> {
  const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!user) throw notFound('User');
  return user;
}

/** Changes an account that the transaction has locked, with its audit entry. */
export async function changeLockedUser(
  core: Core,
  actor: Actor,
  user: User,
  { action, apply }: UserChange,
  transaction: Transaction,
): Promise<void> {
  const { id } = user;
  const before = auditedUser(user);
  await apply(user, transaction);
  // After a loss of rights, and after another way to sign in, the account must sign in again.
  const hasNewLogin = newLogins.includes(action) || user.changed('email');
  const ends = hasNewLogin || user.changed('role') || (user.changed('isActive') && !user.isActive);
  const hasNewReach = user.changed('email') || user.changed('isActive');
  await applyRenames(core, [user], transaction);
  await user.save({ transaction });
  const changes = changesBetween(before, auditedUser(user));
  // A new password isn't among the audited fields. A repeated request changes nothing and isn't audited.
  if (newLogins.includes(action) || Object.keys(changes.after).length > 0)
    await recordAudit(core, actor, { action, targetType: 'user', targetId: id, ...changes }, transaction);
  // A caller who has changed their own email stays signed in where they did it.
  const isOwn = action === 'user.update' && id === actor.actorId;
  if (ends) await endSessions(core, id, transaction, isOwn ? actor.sessionId : undefined);
  // Who rescues an account may take it from somebody who reads the mail of its old address.
  if (hasNewReach && id !== actor.actorId) await endAllLinks(core, [id], transaction);
  else if (ends || hasNewReach) await endLinks(core, [id], transaction);
  // The terminal mails nobody.
  if (action === 'user.reset-password' && actor.origin === 'http')
    await queueMails(core, [{ kind: 'password-changed', userId: id, address: user.email }], transaction);
}

/** Changes an account with its audit entry. @throws AppError `NOT_FOUND`, and what `apply` throws */
export async function changeUser(core: Core, actor: Actor, id: string, change: UserChange): Promise<User> {
  return core.database.inTransaction(async (transaction) => {
    const user = await lockUser(core, id, transaction);
    await changeLockedUser(core, actor, user, change, transaction);
    return user;
  });
}
