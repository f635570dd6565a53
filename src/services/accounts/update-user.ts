import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { activationSchema, type UserUpdate, userUpdateSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { recordAudit } from '../audit/audit.js';
import { releaseLock } from '../auth/throttle-locks.js';
import type { Actor, Core } from '../core.js';
import { assertMailSetUp } from '../mail/outbox.js';
import { lockPhoneKeys, storedPhoneKeys } from '../phone-country.js';
import { verifyEmail } from './change-email.js';
import { changeUser, lockUnchangedUser, lockUser, saveUser } from './change-user.js';
import { assertRoleCanChange } from './delete-user.js';
import { changeUnlessRefused, takenKeys, unconfirmedEmailFields, userKeys } from './keys.js';
import { findUserById } from './queries.js';

async function assertRoleChange(core: Core, user: User, role: UserUpdate['role'], transaction: Transaction) {
  if (role === undefined || role === user.role) return;
  if (user.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
  if (role === 'super_admin') throw new AppError('SUPER_ADMIN_EXISTS');
  await assertRoleCanChange(core, user, transaction);
}

/**
 * Changes the fields of an account; absent fields stay unchanged. A new email or role ends its sessions. With `verify`, the email
 * changes only after the new address is confirmed by a mailed link.
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `EMAIL_TAKEN`, `PHONE_TAKEN`, `SUPER_ADMIN_PROTECTED`, `SUPER_ADMIN_EXISTS`,
 *   `TRAINER_HAS_COURSES`, `TRAINEE_HAS_ENROLLMENTS`, and with `verify` `MAIL_NOT_SET_UP` and `ACCOUNT_INACTIVE`
 */
export async function updateUser(core: Core, actor: Actor, id: string, input: unknown): Promise<User> {
  const { role, verify = false, ...given } = validate(userUpdateSchema, input);
  if (verify) assertMailSetUp(core);
  await findUserById(core, id);
  const { email, phone } = given;
  const { email: verified, ...unverified } = given;
  const fields = verify ? unverified : given;
  const refusal = async () => {
    if (email === undefined && phone === undefined) return undefined;
    const keys = { ...(email !== undefined && { email }), ...(phone !== undefined && { phone }) };
    const taken = await takenKeys(core.database, keys, id);
    return taken.email ? 'EMAIL_TAKEN' : taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  // People who change their own email keep their current session.
  const keptSessionId = id === actor.actorId ? actor.sessionId : undefined;
  const cause = { action: 'user.update', actor, keptSessionId } as const;
  return changeUnlessRefused(refusal, () =>
    core.database.inTransaction(async (transaction) => {
      const user = await lockUser(core, id, transaction);
      await assertRoleChange(core, user, role, transaction);
      user.set({ ...fields, ...(role !== undefined && { role }) });
      if (phone !== undefined) user.set(storedPhoneKeys(phone, await lockPhoneKeys(core, transaction)));
      user.set(userKeys(user));
      if (user.changed('email')) user.set(unconfirmedEmailFields);
      await saveUser(core, user, cause, transaction);
      if (verify && verified !== undefined) await verifyEmail(core, actor, user, verified, transaction);
      return user;
    }),
  );
}

/**
 * Activates or deactivates an account; deactivation ends its sessions.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`
 */
export async function setUserActive(core: Core, actor: Actor, id: string, isActive: boolean): Promise<User> {
  const action = isActive ? 'user.activate' : 'user.deactivate';
  return changeUser(core, id, { action, actor }, (user) => {
    if (!isActive && user.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
    user.isActive = isActive;
  });
}

/**
 * {@link setUserActive} with the input of the API.
 * @throws AppError `VALIDATION`, and the errors of {@link setUserActive}
 */
export async function changeActivation(core: Core, actor: Actor, id: string, input: unknown): Promise<User> {
  return setUserActive(core, actor, id, validate(activationSchema, input).isActive);
}

/**
 * Unlocks an account after too many wrong passwords.
 * @returns the end of the lock; null if the account wasn't locked
 * @throws AppError `NOT_FOUND`
 */
export async function unlockUser(core: Core, actor: Actor, id: string): Promise<Date | null> {
  return core.database.inTransaction(async (transaction) => {
    await lockUnchangedUser(core, id, transaction);
    const lockedUntil = await releaseLock(core, id, transaction);
    // An account without a lock isn't changed, so it gets no audit entry.
    if (lockedUntil !== null)
      await recordAudit(core, actor, { action: 'user.unlock', targetType: 'user', targetId: id }, transaction);
    return lockedUntil;
  });
}
