import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { notFound } from '../../errors.js';
import { type AuditRecord, auditedUser, changesBetween, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { forceIncrementUserVersions } from '../locks/row-locks.js';
import { EffectBatch } from './apply-effects.js';
import { type Cause, impliedFields } from './effects.js';

/** Reads and locks an account. @throws AppError `NOT_FOUND` */
export async function lockUser(core: Core, id: string, transaction: Transaction): Promise<User> {
  const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!user) throw notFound('User');
  return user;
}

/**
 * Locks an account that the transaction relies on but doesn't change. No login can start a session before the commit.
 * @throws AppError `NOT_FOUND`
 */
export async function lockUnchangedUser(core: Core, id: string, transaction: Transaction): Promise<User> {
  const [user] = await forceIncrementUserVersions(core, [id], transaction);
  if (!user) throw notFound('User');
  return user;
}

/**
 * Actions without an audit entry if no audited field changes. Other actions always have an entry: they change fields
 * that aren't audited, such as the password.
 */
const repeatable: readonly Cause['action'][] = ['user.update', 'user.activate', 'user.deactivate'];

/** Returns the audit entry of a change. People's changes of their own profile, image and password have none. */
function auditRecords(before: Parameters<typeof auditedUser>[0], user: User, { action }: Cause): AuditRecord[] {
  if (action.startsWith('own.')) return [];
  const changes = changesBetween(auditedUser(before), auditedUser(user));
  if (repeatable.includes(action) && Object.keys(changes.after).length === 0) return [];
  return [{ action: action as AuditRecord<'user'>['action'], targetType: 'user', targetId: user.id, ...changes }];
}

/** A changed account that isn't saved yet. */
interface Changed {
  user: User;
  cause: Cause;
}

/**
 * Saves changed accounts, which the transaction has locked, one by one, with their audit entries and effects.
 * @param options `silent`: leaves `updatedAt` unchanged
 */
export async function saveUsers(
  core: Core,
  actor: Actor,
  changed: readonly Changed[],
  transaction: Transaction,
  { silent = false } = {},
): Promise<void> {
  const effects = new EffectBatch(core, transaction);
  const records: AuditRecord[] = [];
  for (const { user, cause } of changed) {
    const before = { ...user.get(), ...user.previous() };
    user.set(impliedFields({ before, after: user, cause }, core));
    records.push(...auditRecords(before, user, cause));
    effects.add({ before, after: user, cause });
  }
  if (records.length > 0) await recordAudit(core, actor, records, transaction);
  await effects.apply();
  for (const { user } of changed) await user.save({ transaction, silent });
}

/** {@link saveUsers} for one account. */
export async function saveUser(
  core: Core,
  user: User,
  cause: Cause & { actor: Actor },
  transaction: Transaction,
  options: { silent?: boolean } = {},
): Promise<void> {
  await saveUsers(core, cause.actor, [{ user, cause }], transaction, options);
}

/** Locks, changes and saves an account. @throws AppError `NOT_FOUND`, and the errors of `apply` */
export async function changeUser(
  core: Core,
  id: string,
  cause: Cause & { actor: Actor },
  apply: (user: User) => void | Promise<void>,
): Promise<User> {
  return core.database.inTransaction(async (transaction) => {
    const user = await lockUser(core, id, transaction);
    await apply(user);
    await saveUser(core, user, cause, transaction);
    return user;
  });
}
